// Room lists: positions that are checked and the rows at them go in, calls of the kernels come out, with positions in
// the forms that they read. What is cheap to find is found here: ranges, runs in lists, rows that are worth sorting.

#include "src/lists.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "posenc/posenc.h"
#include "src/calls.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/store.h"
#include "src/turns.h"

namespace posenc {
namespace {

// Tables of this many bytes and more are written past the caches.
constexpr std::size_t kStreamBytes = std::size_t{8} << 20;

// Fewer rows than this are evaluated one by one: a range has to make anchors first, with a step other than 1 rotations
// too.
constexpr std::size_t kMinRangeRows = 6;
constexpr std::size_t kMinSteppedRows = 64;

// Fewer consecutive rows of a list than this are no run.
constexpr std::size_t kMinRunRows = 16;

// Fewer rows than this do not pay for the tables of their rotations.
constexpr std::size_t kMinSortedRows = 64;

// Whether the rows go past the caches: more than these are good for, or as the caller says. Not where they are x, which
// is read again when something is left to repair.
bool BypassesCaches(const Output& output, std::size_t count) noexcept {
  if (output.x == output.data || output.stores == Stores::kCached) return false;
  // The second row is 0 bytes without planes.
  return output.stores == Stores::kStreamed ||
         count >= kStreamBytes / static_cast<std::size_t>(output.row_bytes + output.second_row_bytes);
}

// Whether every row and place is aligned for vectors past the caches.
bool IsAligned(const FrequencyGrid& grid, const Output& output) noexcept {
  std::size_t misaligned = reinterpret_cast<std::uintptr_t>(output.data) | static_cast<std::size_t>(output.row_bytes);
  if (output.second != nullptr) {
    misaligned |= reinterpret_cast<std::uintptr_t>(output.second) | static_cast<std::size_t>(output.second_row_bytes);
  } else if (grid.shape.step == 1) {
    misaligned |= (grid.shape.sin_first | grid.shape.cos_first) << ElementShift(output.type);
  }
  return misaligned % 64 == 0;
}

std::int64_t At(const Positions& range, std::size_t row) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(range.start) +
                                   static_cast<std::uint64_t>(range.step) * row);
}

using posenc::ListPositionOf;  // of an integer

ListPosition ListPositionOf(double position) noexcept {
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

// Makes to[0 .. count) of the positions of a list from row on.
void MakeListPositions(const Positions& positions, std::size_t row, std::size_t count, ListPosition* to) noexcept {
  WithList(positions, [&]<class P>(const P* list) {
    using Widest = std::conditional_t<std::is_floating_point_v<P>, double, std::int64_t>;
    for (std::size_t i = 0; i < count; ++i) ::new (to + i) ListPosition(ListPositionOf(Widest{list[row + i]}));
  });
}

// Calls write(positions, count, rows) for the rows from begin to below end, some at a time; row 0 is at output.
template <class Write>
void ForListRows(const Positions& positions, std::size_t begin, std::size_t end, const Output& output,
                 const Write& write) noexcept {
  constexpr std::size_t kChunk = 64;
  // Not an array of ListPosition: setting all of it first takes longer than one row.
  alignas(ListPosition) std::byte memory[kChunk * sizeof(ListPosition)];
  ListPosition* const chunk = reinterpret_cast<ListPosition*>(memory);
  while (begin < end) {
    const std::size_t count = std::min(kChunk, end - begin);
    if (positions.type == PositionType::kRange) {
      for (std::size_t i = 0; i < count; ++i) ::new (chunk + i) ListPosition(ListPositionOf(At(positions, begin + i)));
    } else {
      MakeListPositions(positions, begin, count, chunk);
    }
    // Not a copy where there is no need: it costs a short row 5 ns.
    begin == 0 ? write(chunk, count, output) : write(chunk, count, From(output, begin));
    begin += count;
  }
}

void WriteList(const FrequencyGrid& grid, const Output& output, const Positions& positions, std::size_t begin,
               std::size_t end) noexcept {
  ForListRows(positions, begin, end, output, [&](const ListPosition* list, std::size_t count, const Output& rows) {
    EncodeListRows(grid, list, count, rows);
  });
}

void WriteRange(const FrequencyGrid& grid, const Output& rows, const Positions& range) noexcept {
  const std::size_t count = range.count;
  const std::uint64_t stride =
      range.step < 0 ? 0 - static_cast<std::uint64_t>(range.step) : static_cast<std::uint64_t>(range.step);
  if (IsExtreme(grid, rows) || stride == 0 || count < (stride == 1 ? kMinRangeRows : kMinSteppedRows)) {
    return WriteList(grid, rows, range, 0, count);
  }
  Output output = rows;
  const bool bypass = BypassesCaches(output, count);
  output.stream = bypass && IsAligned(grid, output);
  // Bounced rows have x where the layout has pairs alone.
  output.bounce = bypass && !output.stream && (output.x == nullptr || grid.shape.step == 2);
  std::int64_t lowest = range.start;
  if (range.step < 0) {
    lowest = At(range, count - 1);
    output = From(output, count - 1);
    output.row_bytes = -output.row_bytes;
    output.second_row_bytes = -output.second_row_bytes;
    output.x_row_bytes = -output.x_row_bytes;
  }
  // lowest = first * stride + offset, rounding down.
  Int128 first = Int128{lowest} / Int128{stride};
  if (first * Int128{stride} > lowest) --first;
  RangePositions positions;
  positions.first = static_cast<std::int64_t>(first);
  positions.count = count;
  positions.step = stride;
  positions.offset = static_cast<std::uint64_t>(Int128{lowest} - first * Int128{stride});
  EncodeRangeRows(grid, positions, output);
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

// How many positions of a list are consecutive integers, going up or down by step (1 or -1) from start.
template <class P>
std::size_t RunLength(const P* list, std::size_t count, std::int64_t& start, std::int64_t& step) noexcept {
  using Limits = std::numeric_limits<P>;
  using Bits = std::conditional_t<sizeof(P) == 4, std::uint32_t, std::uint64_t>;
  // Beyond 2^24 or 2^53 consecutive integers are no floats or doubles.
  constexpr std::int64_t kMost = Limits::is_integer ? INT64_MAX >> (63 - Limits::digits) : INT64_C(1) << Limits::digits;
  constexpr std::int64_t kLeast = Limits::is_integer ? -kMost - 1 : -kMost;
  if (count < 2 || !IntegerOf(list[0], start) || start < kLeast || start > kMost) return 1;
  // Bits, for -0.0 is not the integer 0. Sums wrap around where no run goes on.
  const auto is_next = [list, first = static_cast<std::uint64_t>(start)](std::size_t row, std::uint64_t distance) {
    const P next = static_cast<P>(static_cast<std::int64_t>(first + distance));
    return std::bit_cast<Bits>(list[row]) == std::bit_cast<Bits>(next);
  };
  step = is_next(1, 1) ? 1 : -1;
  const std::uint64_t room = step > 0 ? static_cast<std::uint64_t>(kMost) - static_cast<std::uint64_t>(start)
                                      : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(kLeast);
  const std::size_t most = count - 1 > room ? room + 1 : count;
  std::size_t length = 1;
  while (length < most && is_next(length, static_cast<std::uint64_t>(step) * length)) ++length;
  return length;
}

// The rows of a list from begin to below end, at start, start + step, ...
struct Run {
  std::size_t begin;
  std::size_t end;
  std::int64_t start;
  std::int64_t step;
};

// The first run from row on; without one, no rows at the end of the list.
Run NextRun(const Positions& positions, std::size_t row) noexcept {
  return WithList(positions, [count = positions.count, row](const auto* list) {
    std::int64_t start = 0, step = 1;
    for (std::size_t begin = row, length; begin + kMinRunRows <= count; begin += length) {
      length = RunLength(list + begin, count - begin, start, step);
      if (length >= kMinRunRows) return Run{begin, begin + length, start, step};
    }
    return Run{count, count, start, step};
  });
}

// Writes rows that are worth sorting by their spans: integers near to each other. False: they are not, and nothing has
// been written. At most kMaxSortedRows, the first of them at output.
bool WriteSorted(const FrequencyGrid& grid, const Output& output, const Positions& positions, std::size_t begin,
                 std::size_t count) noexcept {
  constexpr std::size_t kMinRowsOfSpan = 6;  // with fewer, anchors cost more than they save
  constexpr std::size_t kMaxSpans = 256;
  if (output.type == ElementType::kDouble || output.x != nullptr || IsExtreme(grid, output)) return false;
  std::int64_t integers[kMaxSortedRows];
  std::int64_t least = INT64_MAX, most = INT64_MIN;
  const bool are_integers = WithList(positions, [&](const auto* list) {
    std::int64_t low = INT64_MAX, high = INT64_MIN;
    for (std::size_t row = 0; row < count; ++row) {
      std::int64_t integer;
      if (!IntegerOf(list[begin + row], integer)) return false;
      integers[row] = integer;
      low = std::min(low, integer);
      high = std::max(high, integer);
    }
    least = low;
    most = high;
    return true;
  });
  if (!are_integers) return false;
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
  for (std::size_t row = 0; row < count; ++row) ++start[offset(integers[row]) / kSpanPositions];
  std::uint32_t sum = 0;
  for (std::size_t span = 0; span < sorted.spans; ++span) sum += std::exchange(start[span], sum);
  std::uint32_t entries[kMaxSortedRows];
  for (std::size_t row = 0; row < count; ++row) {
    const std::uint64_t place = offset(integers[row]);
    entries[start[place / kSpanPositions]++] = static_cast<std::uint32_t>(place << kSortedRowBits | row);
  }
  static_assert(kMaxSpans * kSpanPositions <= std::uint64_t{1} << (32 - kSortedRowBits));
  sorted.entries = entries;
  sorted.ends = start;
  EncodeSortedRows(grid, sorted, output);
  return true;
}

// Writes the rows from begin to below end, at positions of which few follow each other.
void WriteScattered(const FrequencyGrid& grid, const Output& output, const Positions& positions, std::size_t begin,
                    std::size_t end) noexcept {
  while (begin < end) {
    const std::size_t count = std::min(kMaxSortedRows, end - begin);
    if (count < kMinSortedRows || !WriteSorted(grid, From(output, begin), positions, begin, count)) {
      WriteList(grid, output, positions, begin, begin + count);
    }
    begin += count;
  }
}

void WriteRuns(const FrequencyGrid& grid, const Output& output, const Positions& positions) noexcept {
  for (std::size_t row = 0; row < positions.count;) {
    const Run run = NextRun(positions, row);
    WriteScattered(grid, output, positions, row, run.begin);
    if (run.begin < run.end) {
      WriteRange(grid, From(output, run.begin), RangeOf(run.start, run.step, run.end - run.begin));
    }
    row = run.end;
  }
}

}  // namespace

void WriteRows(const FrequencyGrid& grid, const Output& rows, const Positions& positions) noexcept {
  if (positions.type == PositionType::kRange) return WriteRange(grid, rows, positions);
  if (positions.count < kMinRunRows) return WriteList(grid, rows, positions, 0, positions.count);
  if (positions.count < kMinSortedRows || rows.x != nullptr || !BypassesCaches(rows, positions.count) ||
      !IsAligned(grid, rows)) {
    return WriteRuns(grid, rows, positions);
  }
  Output streamed = rows;
  streamed.stream = true;
  WriteRuns(grid, streamed, positions);
}

void WriteRotated(const FrequencyGrid& grid, Output& rows, const Positions& positions, HeadShape shape) noexcept {
  if (rows.row_bytes % 64 == 0) {
    Output heads = rows;  // each a row of its own
    heads.row_bytes = static_cast<std::ptrdiff_t>(shape.head_dim << ElementShift(rows.type));
    rows.stream = BypassesCaches(heads, positions.count * shape.heads) && IsAligned(grid, heads);
  }
  ForListRows(positions, 0, positions.count, rows,
              [&](const ListPosition* list, std::size_t count, const Output& some) {
                RotateRows(grid, list, count, shape, some);
              });
}

}  // namespace posenc
