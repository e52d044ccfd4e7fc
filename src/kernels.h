// Room kernels: a grid and positions go in, rows of elements come out through the store. Each function here runs on the
// best SIMD target of the CPU, chosen once a call.

#ifndef POSENC_SRC_KERNELS_H_
#define POSENC_SRC_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "posenc/posenc.h"
#include "src/grid.h"
#include "src/store.h"
#include "src/turns.h"

namespace posenc {

// Rows 0 .. count - 1 at the positions (first + row) * step + offset, all of them an int64; 0 <= offset < step.
struct RangePositions {
  std::int64_t first = 0;
  std::size_t count = 0;
  std::uint64_t step = 1;
  std::uint64_t offset = 0;
};

// The position of a row of a list, in the forms that kernels read.
struct ListPosition {
  Position exact;        // also (-1)^negative * (integer + fraction * 2^-64), if is_split
  double nearest = 0.0;  // exact = nearest + nearest_low
  double nearest_low = 0.0;
  std::uint64_t integer = 0;
  std::uint64_t fraction = 0;
  bool is_split = false;
  bool is_nan = false;  // the row is NaN, and nothing else is read
};

// Rows of a list whose positions are in the same span share a root and its anchors: sorted-inl.h.
inline constexpr std::uint64_t kSpanPositions = 2048;
inline constexpr int kSortedRowBits = 11;
inline constexpr std::size_t kMaxSortedRows = std::size_t{1} << kSortedRowBits;

// Integer positions of some rows of a list, those of a span next to each other.
struct SortedPositions {
  std::int64_t base = 0;                   // a multiple of kSpanPositions
  const std::uint32_t* entries = nullptr;  // (position - base) * kMaxSortedRows + row
  const std::uint32_t* ends = nullptr;     // where in entries those of a span end
  std::size_t spans = 0;                   // from base on; some may be empty

  std::uint64_t Offset(std::size_t i) const noexcept { return entries[i] >> kSortedRowBits; }
  std::size_t Row(std::size_t i) const noexcept { return entries[i] & (kMaxSortedRows - 1); }
  std::int64_t At(std::uint64_t offset) const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + offset);
  }
};

// position - nearest, exactly, for nearest = position as a double.
inline double NearestLow(std::int64_t position, double nearest) noexcept {
  // 2^63 is not an int64.
  if (nearest == 0x1p63) return static_cast<double>(position - INT64_MAX) - 1.0;
  return static_cast<double>(position - static_cast<std::int64_t>(nearest));
}

inline ListPosition ListPositionOf(std::int64_t position) noexcept {
  ListPosition result;
  result.exact = PositionOf(position);
  result.nearest = static_cast<double>(position);
  result.nearest_low = NearestLow(position, result.nearest);
  result.integer = result.exact.magnitude;
  result.is_split = true;
  return result;
}

void FillRotations(FrequencyGrid& grid) noexcept;
// Not for what is extreme.
void EncodeRangeRows(const FrequencyGrid& grid, const RangePositions& positions, const Output& output) noexcept;
void EncodeListRows(const FrequencyGrid& grid, const ListPosition* positions, std::size_t count,
                    const Output& output) noexcept;
// Not for doubles, nor for what is extreme or adds.
void EncodeSortedRows(const FrequencyGrid& grid, const SortedPositions& positions, const Output& output) noexcept;
// Rows of x, of shape.heads heads that are shape.head_dim apart, rotated: rows has x, which may be the output itself,
// and x_scale is not read. The dim is even.
void RotateRows(const FrequencyGrid& grid, const ListPosition* positions, std::size_t count, HeadShape shape,
                const Output& rows) noexcept;
const char* TargetName() noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_KERNELS_H_
