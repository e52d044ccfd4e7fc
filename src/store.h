// Room store: what the store is told about the caller's memory. The store itself is store-inl.h.

#ifndef POSENC_SRC_STORE_H_
#define POSENC_SRC_STORE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "posenc/posenc.h"
#include "src/grid.h"

namespace posenc {

enum class ElementType : std::uint8_t { kFloat, kDouble, kHalf, kBFloat16 };

constexpr std::size_t ElementBytes(ElementType type) noexcept {
  return type == ElementType::kDouble ? 8 : type == ElementType::kFloat ? 4 : 2;
}

// Where rows go, and what is added to them. Checked before: no kernel validates.
struct Output {
  void* data = nullptr;  // row 0
  std::ptrdiff_t row_bytes = 0;
  // Not null: what comes first in the layout goes to the rows at data, what comes second to the rows here, each as one
  // run from the start of its row.
  void* second = nullptr;
  std::ptrdiff_t second_row_bytes = 0;
  const void* x = nullptr;  // null: nothing is added
  std::ptrdiff_t x_row_bytes = 0;
  double x_scale = 0.0;
  ElementType type = ElementType::kFloat;
  Stores stores = Stores::kAuto;  // what the caller asked for; kernels read the next two
  bool stream = false;            // past the caches; every row and place is aligned for it
  bool bounce = false;            // past the caches by way of a buffer, for rows that are not aligned
};

// The rows from row on.
inline Output From(Output output, std::size_t row) noexcept {
  const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(row);
  output.data = static_cast<char*>(output.data) + rows * output.row_bytes;
  if (output.second != nullptr) output.second = static_cast<char*>(output.second) + rows * output.second_row_bytes;
  if (output.x != nullptr) output.x = static_cast<const char*>(output.x) + rows * output.x_row_bytes;
  return output;
}

// Where the values of frequency k stand in a row; first and second are sine and cosine in the order of the layout.
struct RowPlaces {
  std::size_t first = 0, second = 0, step = 1;
  std::size_t last_sine = 0;  // where the sine of the last frequency stands when it has no cosine
  bool cos_first = false;
};

inline RowPlaces PlacesOf(const FrequencyGrid& grid, const Output& output) {
  RowPlaces places;
  places.cos_first = grid.cos_first;
  if (output.second != nullptr) {
    places.last_sine = grid.shape.sines - 1;
  } else {
    places.first = grid.cos_first ? grid.shape.cos_first : grid.shape.sin_first;
    places.second = grid.cos_first ? grid.shape.sin_first : grid.shape.cos_first;
    places.step = grid.shape.step;
    places.last_sine = grid.shape.LastSine();
  }
  return places;
}

// Whether values or products may leave the range in which double arithmetic keeps its precision, which takes tests of
// its own.
inline bool IsExtreme(const FrequencyGrid& grid, const Output& output) noexcept {
  const bool tiny_scale = output.x != nullptr && output.x_scale != 0.0 && std::fabs(output.x_scale) < 0x1p-700;
  return grid.is_extreme || tiny_scale;
}

}  // namespace posenc

#endif  // POSENC_SRC_STORE_H_
