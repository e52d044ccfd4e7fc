// Room lists: the positions of a list go in, calls of the kernels come out, with positions in the forms that they read.

#ifndef POSENC_SRC_LISTS_H_
#define POSENC_SRC_LISTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "src/grid.h"
#include "src/kernels.h"
#include "src/store.h"
#include "src/turns.h"

namespace posenc {

inline ListPosition ListPositionOf(double position) noexcept {
  ListPosition result;
  result.is_nan = !(position - position == 0.0);
  if (result.is_nan) return result;
  result.exact = PositionOf(position);
  result.nearest = position;
  // magnitude * 2^exponent as integer + fraction * 2^-64, where nothing is lost.
  const std::uint64_t magnitude = result.exact.magnitude;
  const int exponent = result.exact.exponent;
  if (exponent >= 0) {
    result.integer = exponent < 64 ? magnitude << exponent : 0;
    result.is_split = true;
  } else if (exponent > -64) {
    result.integer = magnitude >> -exponent;
    result.fraction = magnitude << (64 + exponent);
    result.is_split = true;
  } else if (exponent > -128 && (exponent == -64 || magnitude << (128 + exponent) == 0)) {
    result.fraction = magnitude >> (-64 - exponent);
    result.is_split = true;
  }
  return result;
}

// Calls write(positions, row, count) for rows of a list of any length, some at a time: position(row) is the
// ListPosition of a row.
template <class PositionOfRow, class Write>
void ForListRows(std::size_t begin, std::size_t end, const PositionOfRow& position, const Write& write) noexcept {
  constexpr std::size_t kChunk = 64;
  // Not an array of ListPosition: setting all of it first takes longer than one row.
  alignas(ListPosition) std::byte memory[kChunk * sizeof(ListPosition)];
  ListPosition* const chunk = reinterpret_cast<ListPosition*>(memory);
  while (begin < end) {
    const std::size_t count = std::min(kChunk, end - begin);
    for (std::size_t i = 0; i < count; ++i) ::new (chunk + i) ListPosition(position(begin + i));
    write(chunk, begin, count);
    begin += count;
  }
}

template <class PositionOfRow>
void WriteList(const FrequencyGrid& grid, const Output& output, std::size_t begin, std::size_t end,
               const PositionOfRow& position) noexcept {
  ForListRows(begin, end, position, [&](const ListPosition* positions, std::size_t row, std::size_t count) {
    // Not a copy where there is no need: it costs a short row 5 ns.
    row == 0 ? EncodeListRows(grid, positions, count, output)
             : EncodeListRows(grid, positions, count, From(output, row));
  });
}

// The ListPosition of each row of positions.
template <class P>
auto ListPositionsOf(std::span<const P> positions) noexcept {
  return [positions](std::size_t row) {
    if constexpr (std::is_floating_point_v<P>) {
      return ListPositionOf(double{positions[row]});
    } else {
      return ListPositionOf(std::int64_t{positions[row]});
    }
  };
}

// Whether a position is an integer that int64 holds; -0.0 is not the integer 0.
template <class P>
bool IntegerOf(P position, std::int64_t& integer) noexcept {
  if constexpr (std::is_floating_point_v<P>) {
    // Also false for NaN.
    if (!(position >= P{-0x1p63} && position < P{0x1p63}) || (position == 0 && std::signbit(position))) return false;
    integer = static_cast<std::int64_t>(position);
    return static_cast<P>(integer) == position;
  } else {
    integer = position;
    return true;
  }
}

// Fewer rows than this do not pay for the tables of their rotations.
inline constexpr std::size_t kMinSortedRows = 64;

// Writes rows that are worth sorting by their spans: integers near to each other. False: they are not, and nothing has
// been written. At most kMaxSortedRows.
template <class P>
bool WriteSorted(const FrequencyGrid& grid, const Output& output, std::span<const P> positions) noexcept {
  constexpr std::size_t kMinRowsOfSpan = 6;  // with fewer, anchors cost more than they save
  constexpr std::size_t kMaxSpans = 256;
  const std::size_t count = positions.size();
  if (output.type == ElementType::kDouble || output.x != nullptr || IsExtreme(grid, output)) return false;
  std::int64_t least = INT64_MAX, most = INT64_MIN;
  for (const P position : positions) {
    std::int64_t integer;
    if (!IntegerOf(position, integer)) return false;
    least = std::min(least, integer);
    most = std::max(most, integer);
  }
  SortedPositions sorted;
  sorted.base = least & ~std::int64_t{kSpanPositions - 1};
  const auto offset = [&](std::int64_t position) {
    return static_cast<std::uint64_t>(position) - static_cast<std::uint64_t>(sorted.base);
  };
  // At most 2^53 of them.
  sorted.spans = static_cast<std::size_t>(offset(most) / kSpanPositions + 1);
  if (sorted.spans > std::min(kMaxSpans, count / kMinRowsOfSpan)) return false;
  // How many rows a span has; then where its next row goes, and so in the end where its rows end.
  std::uint32_t start[kMaxSpans] = {};
  for (const P position : positions) ++start[offset(static_cast<std::int64_t>(position)) / kSpanPositions];
  std::uint32_t sum = 0;
  for (std::size_t span = 0; span < sorted.spans; ++span) sum += std::exchange(start[span], sum);
  std::uint32_t entries[kMaxSortedRows];
  for (std::size_t row = 0; row < count; ++row) {
    const std::uint64_t place = offset(static_cast<std::int64_t>(positions[row]));
    entries[start[place / kSpanPositions]++] = static_cast<std::uint32_t>(place << kSortedRowBits | row);
  }
  static_assert(kMaxSpans * kSpanPositions <= std::uint64_t{1} << (32 - kSortedRowBits));
  sorted.entries = entries;
  sorted.ends = start;
  EncodeSortedRows(grid, sorted, output);
  return true;
}

// Writes the rows from begin to below end, at positions of which few follow each other.
template <class P>
void WriteScattered(const FrequencyGrid& grid, const Output& output, std::size_t begin, std::size_t end,
                    std::span<const P> positions) noexcept {
  while (begin < end) {
    const std::size_t count = std::min(kMaxSortedRows, end - begin);
    if (count < kMinSortedRows || !WriteSorted(grid, From(output, begin), positions.subspan(begin, count))) {
      WriteList(grid, output, begin, begin + count, ListPositionsOf(positions));
    }
    begin += count;
  }
}

}  // namespace posenc

#endif  // POSENC_SRC_LISTS_H_
