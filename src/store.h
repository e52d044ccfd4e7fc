// Room store: what the store is told about the caller's memory. The store itself is store-inl.h.

#ifndef POSENC_SRC_STORE_H_
#define POSENC_SRC_STORE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/grid.h"

namespace posenc {

enum class ElementType : std::uint8_t { kFloat, kDouble, kHalf, kBFloat16 };

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
  bool stream = false;   // past the caches
  bool by_rows = false;  // one row after the other; else some elements of 256 rows after the other
};

// Whether values or products may leave the range in which double arithmetic keeps its precision, which takes tests of
// its own.
inline bool IsExtreme(const FrequencyGrid& grid, const Output& output) noexcept {
  const bool tiny_scale = output.x != nullptr && output.x_scale != 0.0 && std::fabs(output.x_scale) < 0x1p-700;
  return grid.is_extreme || tiny_scale;
}

}  // namespace posenc

#endif  // POSENC_SRC_STORE_H_
