// Room door: a Spec and the caller's memory go in; checks every argument, and hands what is valid to the kernels.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "posenc/posenc.h"
#include "src/float_mode.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/spec.h"
#include "src/store.h"

namespace posenc {

struct EncoderState {
  Spec spec;
  FrequencyGrid grid;
};

namespace {

__extension__ using Int128 = __int128;

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

template <class T>
constexpr ElementType kElementType = std::is_same_v<T, float>    ? ElementType::kFloat
                                     : std::is_same_v<T, double> ? ElementType::kDouble
                                     : std::is_same_v<T, Half>   ? ElementType::kHalf
                                                                 : ElementType::kBFloat16;

// Tables of this many bytes and more are written past the caches.
constexpr std::size_t kStreamBytes = std::size_t{8} << 20;

// Fewer rows than this are evaluated one by one: a range has to make anchors first, with a step other than 1 rotations
// too.
constexpr std::size_t kMinRangeRows = 6;
constexpr std::size_t kMinSteppedRows = 64;

template <class T>
std::size_t StrideOf(const Rows<T>& rows, std::size_t dim) noexcept {
  return rows.stride == 0 ? dim : rows.stride;
}

// The bytes of the caller that a call reads or writes.
struct Memory {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool Overlaps(const Memory& other) const noexcept { return begin < other.end && other.begin < end; }
};

template <class T>
Memory MemoryOf(const Rows<T>& rows, std::size_t dim) noexcept {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(rows.data);
  return {begin, begin + ((rows.count - 1) * StrideOf(rows, dim) + dim) * sizeof(T)};
}

template <class P>
Memory MemoryOf(std::span<const P> positions) noexcept {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(positions.data());
  return {begin, begin + positions.size_bytes()};
}

template <class T>
Error CheckRows(const Rows<T>& rows, std::size_t dim, Error null, Error short_stride, Error size) noexcept {
  if (rows.data == nullptr) return null;
  const std::size_t stride = StrideOf(rows, dim);
  if (stride < dim) return short_stride;
  constexpr std::size_t kMaxElements = static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T);
  return stride > kMaxElements / rows.count ? size : Error::kNone;
}

template <class T>
Error CheckOut(const Rows<T>& out, std::size_t dim) noexcept {
  return CheckRows(out, dim, Error::kOutNull, Error::kOutStride, Error::kOutSize);
}

template <class T>
Error CheckX(const Rows<const T>& x, double x_scale, const Rows<T>& out, std::size_t dim) noexcept {
  if (x.count != out.count) return Error::kXCount;
  const Error error = CheckRows(x, dim, Error::kXNull, Error::kXStride, Error::kXSize);
  if (error != Error::kNone) return error;
  if (!(x_scale - x_scale == 0.0)) return Error::kXScale;
  const bool same = x.data == out.data && StrideOf(x, dim) == StrideOf(out, dim);
  return !same && MemoryOf(x, dim).Overlaps(MemoryOf(out, dim)) ? Error::kXOverlap : Error::kNone;
}

Error CheckRange(std::int64_t start, std::int64_t step, std::size_t count) noexcept {
  const Int128 last = Int128{start} + Int128{step} * static_cast<std::int64_t>(count - 1);  // count < 2^63
  return last < INT64_MIN || last > INT64_MAX ? Error::kRange : Error::kNone;
}

template <class P, class T>
Error CheckPositions(std::span<const P> positions, const Rows<T>& out, std::size_t dim) noexcept {
  if constexpr (std::is_floating_point_v<P>) {
    // Bits, not values: it must hold whatever flags or floating-point mode are in force.
    constexpr double kLimit = 0x1p63;
    for (const P position : positions) {
      const double magnitude = std::bit_cast<double>(std::bit_cast<std::uint64_t>(double{position}) & ~kSignBit);
      if (magnitude > kLimit && magnitude - magnitude == 0.0) return Error::kPosition;
    }
  }
  return MemoryOf(positions).Overlaps(MemoryOf(out, dim)) ? Error::kPositionOverlap : Error::kNone;
}

template <class T>
Output OutputOf(const Rows<T>& out, std::size_t dim) noexcept {
  Output output;
  output.data = out.data;
  output.row_bytes = static_cast<std::ptrdiff_t>(StrideOf(out, dim) * sizeof(T));
  output.type = kElementType<T>;
  return output;
}

template <class T>
Output OutputOf(const Rows<T>& out, std::size_t dim, const Rows<const T>& x, double x_scale) noexcept {
  Output output = OutputOf(out, dim);
  output.x = x.data;
  output.x_row_bytes = static_cast<std::ptrdiff_t>(StrideOf(x, dim) * sizeof(T));
  output.x_scale = x_scale;
  return output;
}

// The rows from row on.
Output From(Output output, std::size_t row) noexcept {
  const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(row);
  output.data = static_cast<char*>(output.data) + rows * output.row_bytes;
  if (output.x != nullptr) output.x = static_cast<const char*>(output.x) + rows * output.x_row_bytes;
  return output;
}

// Whether the rows are worth writing past the caches, and aligned for it.
bool Streams(const FrequencyGrid& grid, const Output& output, std::size_t count) noexcept {
  const std::size_t row_bytes = static_cast<std::size_t>(output.row_bytes);
  if (count < kStreamBytes / row_bytes) return false;
  const std::size_t element_bytes = output.type == ElementType::kDouble  ? 8
                                    : output.type == ElementType::kFloat ? 4
                                                                         : 2;
  std::size_t misaligned = reinterpret_cast<std::uintptr_t>(output.data) | row_bytes;
  if (grid.shape.step == 1) misaligned |= (grid.shape.sin_first | grid.shape.cos_first) * element_bytes;
  return misaligned % 64 == 0;
}

ListPosition ListPositionOf(std::int64_t position) noexcept {
  ListPosition result;
  result.exact = PositionOf(position);
  result.nearest = static_cast<double>(position);
  result.nearest_low = NearestLow(position, result.nearest);
  result.integer = result.exact.magnitude;
  result.is_split = true;
  return result;
}

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

// Rows of a list of any length: position(row) is the ListPosition of a row.
template <class PositionOfRow>
void WriteList(const FrequencyGrid& grid, const Output& output, std::size_t begin, std::size_t end,
               const PositionOfRow& position) noexcept {
  constexpr std::size_t kChunk = 64;
  ListPosition chunk[kChunk];
  while (begin < end) {
    const std::size_t count = std::min(kChunk, end - begin);
    for (std::size_t i = 0; i < count; ++i) chunk[i] = position(begin + i);
    EncodeListRows(grid, chunk, count, From(output, begin));
    begin += count;
  }
}

// Rows at start + row * step, all of them an int64.
void WriteRange(const FrequencyGrid& grid, Output output, std::int64_t start, std::int64_t step,
                std::size_t count) noexcept {
  const std::uint64_t stride = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  if (IsExtreme(grid, output) || stride == 0 || count < (stride == 1 ? kMinRangeRows : kMinSteppedRows)) {
    WriteList(grid, output, 0, count, [&](std::size_t row) {
      return ListPositionOf(
          static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(step) * row));
    });
    return;
  }
  output.stream = output.x == nullptr && Streams(grid, output, count);
  std::int64_t lowest = start;
  if (step < 0) {
    lowest =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(step) * (count - 1));
    output = From(output, count - 1);
    output.row_bytes = -output.row_bytes;
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

// How many positions from row on are consecutive integers, going up or down by step (1 or -1).
template <class P>
std::size_t RunLength(std::span<const P> positions, std::size_t row, std::int64_t& start, std::int64_t& step) noexcept {
  const P first = positions[row];
  if constexpr (std::is_floating_point_v<P>) {
    // Beyond 2^53 consecutive integers are not doubles. Also false for NaN. -0.0 is not the integer 0.
    if (!(first > P{-0x1p52} && first < P{0x1p52}) || (first == 0 && std::signbit(first))) return 1;
    if (static_cast<P>(static_cast<std::int64_t>(first)) != first) return 1;
  }
  start = static_cast<std::int64_t>(first);
  if (row + 1 == positions.size()) return 1;
  step = positions[row + 1] > first ? 1 : -1;
  std::size_t length = 1;
  for (std::int64_t next = start; row + length < positions.size(); ++length) {
    if (next == (step > 0 ? INT64_MAX : INT64_MIN)) break;
    next += step;
    const P position = positions[row + length];
    if (position != static_cast<P>(next)) break;
    if constexpr (std::is_floating_point_v<P>) {
      if (position == 0 && std::signbit(position)) break;
      if (next < -(std::int64_t{1} << 52) || next > std::int64_t{1} << 52) break;
    } else {
      if (static_cast<std::int64_t>(position) != next) break;
    }
  }
  return length;
}

template <class P>
void WritePositions(const FrequencyGrid& grid, const Output& output, std::span<const P> positions) noexcept {
  constexpr std::size_t kMinRun = 16;
  const auto position = [&](std::size_t row) {
    if constexpr (std::is_floating_point_v<P>) {
      return ListPositionOf(double{positions[row]});
    } else {
      return ListPositionOf(std::int64_t{positions[row]});
    }
  };
  std::size_t pending = 0;  // rows from here to row belong to no run
  for (std::size_t row = 0; row < positions.size();) {
    std::int64_t start = 0, step = 1;
    const std::size_t length = RunLength(positions, row, start, step);
    if (length >= kMinRun) {
      WriteList(grid, output, pending, row, position);
      WriteRange(grid, From(output, row), start, step, length);
      pending = row + length;
    }
    row += length;
  }
  WriteList(grid, output, pending, positions.size(), position);
}

}  // namespace

Result<Encoder> Encoder::Make(const Spec& spec) {
  Result<Encoder> result;
  result.error = Validate(spec);
  if (result.error != Error::kNone) return result;
#if defined(__cpp_exceptions)
  try {
#endif
    const std::shared_ptr<EncoderState> state = std::make_shared<EncoderState>();
    state->spec = spec;
    const DefaultFloatMode mode;
    result.error = FillGrid(spec, state->grid);
    if (result.error != Error::kNone) return result;
    FillRotations(state->grid);
    result.value.state_ = state;
#if defined(__cpp_exceptions)
  } catch (const std::bad_alloc&) {
    result.error = Error::kMemory;
  }
#endif
  return result;
}

const Spec& Encoder::spec() const noexcept {
  static const Spec empty;
  return state_ == nullptr ? empty : state_->spec;
}

template <class T>
Error Encoder::EncodeRange(std::int64_t start, Rows<T> out, std::int64_t step) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  if (out.count == 0) return Error::kNone;
  const std::size_t dim = state_->spec.dim;
  if (const Error error = CheckOut(out, dim); error != Error::kNone) return error;
  if (const Error error = CheckRange(start, step, out.count); error != Error::kNone) return error;
  const DefaultFloatMode mode;
  WriteRange(state_->grid, OutputOf(out, dim), start, step, out.count);
  return Error::kNone;
}

template <class P, class T>
Error Encoder::Encode(std::span<const P> positions, Rows<T> out) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  if (positions.size() != out.count) return Error::kPositionCount;
  if (out.count == 0) return Error::kNone;
  const std::size_t dim = state_->spec.dim;
  if (const Error error = CheckOut(out, dim); error != Error::kNone) return error;
  const DefaultFloatMode mode;
  if (const Error error = CheckPositions(positions, out, dim); error != Error::kNone) return error;
  WritePositions(state_->grid, OutputOf(out, dim), positions);
  return Error::kNone;
}

template <class T>
Error Encoder::EncodeAddRange(std::int64_t start, double x_scale, Rows<const T> x, Rows<T> out,
                              std::int64_t step) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  if (x.count != out.count) return Error::kXCount;
  if (out.count == 0) return Error::kNone;
  const std::size_t dim = state_->spec.dim;
  if (const Error error = CheckOut(out, dim); error != Error::kNone) return error;
  if (const Error error = CheckRange(start, step, out.count); error != Error::kNone) return error;
  const DefaultFloatMode mode;
  if (const Error error = CheckX(x, x_scale, out, dim); error != Error::kNone) return error;
  WriteRange(state_->grid, OutputOf(out, dim, x, x_scale), start, step, out.count);
  return Error::kNone;
}

template <class P, class T>
Error Encoder::EncodeAdd(std::span<const P> positions, double x_scale, Rows<const T> x, Rows<T> out) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  if (positions.size() != out.count) return Error::kPositionCount;
  if (x.count != out.count) return Error::kXCount;
  if (out.count == 0) return Error::kNone;
  const std::size_t dim = state_->spec.dim;
  if (const Error error = CheckOut(out, dim); error != Error::kNone) return error;
  const DefaultFloatMode mode;
  if (const Error error = CheckPositions(positions, out, dim); error != Error::kNone) return error;
  if (const Error error = CheckX(x, x_scale, out, dim); error != Error::kNone) return error;
  WritePositions(state_->grid, OutputOf(out, dim, x, x_scale), positions);
  return Error::kNone;
}

#define POSENC_INSTANTIATE_POSITION(P, T)                                     \
  template Error Encoder::Encode(std::span<const P>, Rows<T>) const noexcept; \
  template Error Encoder::EncodeAdd(std::span<const P>, double, Rows<const T>, Rows<T>) const noexcept;
#define POSENC_INSTANTIATE(T)                                                                                        \
  template Error Encoder::EncodeRange(std::int64_t, Rows<T>, std::int64_t) const noexcept;                           \
  template Error Encoder::EncodeAddRange(std::int64_t, double, Rows<const T>, Rows<T>, std::int64_t) const noexcept; \
  POSENC_INSTANTIATE_POSITION(std::int32_t, T)                                                                       \
  POSENC_INSTANTIATE_POSITION(std::int64_t, T)                                                                       \
  POSENC_INSTANTIATE_POSITION(float, T)                                                                              \
  POSENC_INSTANTIATE_POSITION(double, T)

POSENC_INSTANTIATE(float)
POSENC_INSTANTIATE(double)
POSENC_INSTANTIATE(Half)
POSENC_INSTANTIATE(BFloat16)

const char* ActiveTarget() noexcept { return TargetName(); }

}  // namespace posenc
