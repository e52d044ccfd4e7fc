// Room store: the memory of an output and a row in double lanes, of any type of elements; per target. The types go
// their own ways in store-inl.h.

#if defined(POSENC_SRC_OUTPUT_ROWS_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_OUTPUT_ROWS_INL_H_TOGGLE
#undef POSENC_SRC_OUTPUT_ROWS_INL_H_TOGGLE
#else
#define POSENC_SRC_OUTPUT_ROWS_INL_H_TOGGLE
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "posenc/posenc.h"
#include "src/grid.h"
#include "src/lanes-inl.h"
#include "src/store.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Values of some groups of frequencies of a row in double lanes, times the amplitude and in the order of the layout.
struct RowWaves {
  static constexpr std::size_t kGroups = 8;
  HWY_ALIGN_MAX double first[kGroups * kGroup];
  HWY_ALIGN_MAX double second[kGroups * kGroup];
  // Of the first group: what first and second leave out, for outputs of doubles; the limits of the tests, where some
  // angles are small.
  HWY_ALIGN_MAX double first_low[kGroup];
  HWY_ALIGN_MAX double second_low[kGroup];
  HWY_ALIGN_MAX double first_limit[kGroup];
  HWY_ALIGN_MAX double second_limit[kGroup];
};

// Where the values of frequencies from some one on stand in a row of elements.
template <class Element>
struct Start {
  Element* first;
  Element* second;

  // The same k frequencies further on. in_runs: the layout, a std::bool_constant where it is known when compiled.
  template <class InRuns>
  HWY_INLINE Start From(InRuns in_runs, std::size_t k) const {
    if (!in_runs) return {first + 2 * k, nullptr};
    return {first + k, second + k};
  }
};

// The same in the rows from one on: values of their own, which stores to rows do not change. Integers, for rows may be
// beyond the last, to be prefetched.
template <class Element>
struct Starts {
  std::uintptr_t first;
  std::uintptr_t second;
  std::ptrdiff_t row_bytes;
  std::ptrdiff_t second_row_bytes;

  template <class InRuns>
  HWY_INLINE Start<Element> At(InRuns in_runs, std::int64_t row, std::size_t k) const {
    const auto at = [row](std::uintptr_t from, std::ptrdiff_t bytes) POSENC_INLINE_LAMBDA {
      return reinterpret_cast<Element*>(from + static_cast<std::uintptr_t>(row) * static_cast<std::uintptr_t>(bytes));
    };
    return Start<Element>{at(first, row_bytes), in_runs ? at(second, second_row_bytes) : nullptr}.From(in_runs, k);
  }
};

// Rows of an output, of any type, and where values stand in them.
class OutputRows {
 public:
  OutputRows(const FrequencyGrid& grid, const Output& output)
      : grid_(&grid), places_(PlacesOf(grid, output)), output_(output) {
    has_zero_ = output.second == nullptr && grid.shape.zero_last;
    if (output.second == nullptr) {
      output_.second = output.data;
      output_.second_row_bytes = output.row_bytes;
    }
  }

  const FrequencyGrid& grid() const { return *grid_; }
  const RowPlaces& places() const { return places_; }
  ElementType type() const { return output_.type; }
  bool adds() const { return output_.x != nullptr; }
  double x_scale() const { return output_.x_scale; }
  bool in_runs() const { return places_.step == 1; }
  bool streams() const { return POSENC_WHOLE_VECTORS && output_.stream; }
  // Whether rows go to a buffer first, and from there past the caches: bounce-inl.h.
  bool bounces() const { return POSENC_WHOLE_VECTORS && output_.bounce; }
  bool is_extreme() const { return IsExtreme(*grid_, output_); }
  // Whether rows end with an element after their pairs: an odd dim with OddDim::kZero.
  bool has_zero() const { return has_zero_; }

  void* Row(std::size_t row) const {
    return static_cast<char*>(output_.data) + static_cast<std::ptrdiff_t>(row) * output_.row_bytes;
  }
  void* SecondRow(std::size_t row) const {
    return static_cast<char*>(output_.second) + static_cast<std::ptrdiff_t>(row) * output_.second_row_bytes;
  }
  std::uintptr_t XRow(std::size_t row) const {
    return reinterpret_cast<std::uintptr_t>(output_.x) +
           static_cast<std::uintptr_t>(static_cast<std::ptrdiff_t>(row) * output_.x_row_bytes);
  }

  // Frequencies from k on in the rows from one on, of the output and of x.
  template <class Element>
  HWY_INLINE Starts<Element> PlacesFrom(std::size_t row, std::size_t k) const {
    return StartsAt<Element>(
        {reinterpret_cast<std::uintptr_t>(Row(row)), reinterpret_cast<std::uintptr_t>(SecondRow(row)),
         output_.row_bytes, output_.second_row_bytes},
        k);
  }
  template <class Element>
  HWY_INLINE Starts<const Element> XPlacesFrom(std::size_t row, std::size_t k) const {
    return StartsAt<const Element>({XRow(row), XRow(row), output_.x_row_bytes, output_.x_row_bytes}, k);
  }

  // Waits for what was streamed.
  void Flush() const {
    if (streams()) hwy::FlushStream();
  }

 private:
  template <class Element>
  HWY_INLINE Starts<Element> StartsAt(Starts<Element> rows, std::size_t k) const {
    rows.first += (places_.first + k * places_.step) * sizeof(Element);
    rows.second += (places_.second + k * places_.step) * sizeof(Element);
    return rows;
  }

  const FrequencyGrid* grid_;
  RowPlaces places_;
  Output output_;
  bool has_zero_;
};

// What visit(T()) gives for the type T of elements: double if kPairs, and else one of the others.
template <bool kPairs, class Visit>
HWY_INLINE auto ForType(HWY_MAYBE_UNUSED ElementType type, const Visit& visit) {
  if constexpr (kPairs) {
    return visit(double());
  } else {
    if (type == ElementType::kFloat) return visit(float());
    return type == ElementType::kHalf ? visit(Half()) : visit(BFloat16());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_OUTPUT_ROWS_INL_H_TOGGLE
