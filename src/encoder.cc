// Room door: a Spec and the caller's memory go in; checks every argument, and hands what is valid to the kernels.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "posenc/posenc.h"
#include "src/arguments.h"
#include "src/float_mode.h"
#include "src/grid.h"
#include "src/heap.h"
#include "src/kernels.h"
#include "src/lists.h"
#include "src/similarity.h"
#include "src/spec.h"
#include "src/store.h"

namespace posenc {

struct EncoderState {
  Spec spec;
  FrequencyGrid grid;
};

namespace {

__extension__ using Int128 = __int128;

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

template <class T>
Output OutputOf(const Rows<T>& out, std::size_t dim) noexcept {
  Output output;
  output.data = out.data;
  output.row_bytes = static_cast<std::ptrdiff_t>(StrideOf(out, dim) * sizeof(T));
  output.type = kElementType<T>;
  output.stores = out.stores;
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

// Elements of a row of sines and of a row of cosines.
struct PlaneElements {
  std::size_t sin;
  std::size_t cos;
};

PlaneElements PlaneElementsOf(const FrequencyGrid& grid) noexcept { return {grid.shape.sines, grid.shape.cosines}; }

// A plane whose rows are empty may be anything.
template <class T>
Error CheckPlane(const Rows<T>& plane, std::size_t elements) noexcept {
  return elements == 0 ? Error::kNone : CheckOut(plane, elements);
}

// Whether two planes share an element. Of one stride, rows of one may lie between those of the other: side by side in
// one table.
template <class T>
bool PlanesOverlap(const Rows<T>& sin, const Rows<T>& cos, const PlaneElements& elements) noexcept {
  if (elements.sin == 0 || elements.cos == 0) return false;
  const Memory a = MemoryOf(sin, elements.sin), b = MemoryOf(cos, elements.cos);
  if (!a.Overlaps(b)) return false;
  const std::size_t stride = StrideOf(sin, elements.sin) * sizeof(T);
  if (StrideOf(cos, elements.cos) * sizeof(T) != stride) return true;
  // From the start of a row of the lower plane to that of the next row of the other one.
  const bool sin_lower = a.begin <= b.begin;
  const std::size_t distance = (sin_lower ? b.begin - a.begin : a.begin - b.begin) % stride;
  const std::size_t lower = (sin_lower ? elements.sin : elements.cos) * sizeof(T);
  const std::size_t other = (sin_lower ? elements.cos : elements.sin) * sizeof(T);
  return distance < lower || distance + other > stride;
}

template <class T>
Error CheckPlanes(const Rows<T>& sin, const Rows<T>& cos, const PlaneElements& elements) noexcept {
  if (const Error error = CheckPlane(sin, elements.sin); error != Error::kNone) return error;
  if (const Error error = CheckPlane(cos, elements.cos); error != Error::kNone) return error;
  return PlanesOverlap(sin, cos, elements) ? Error::kPlaneOverlap : Error::kNone;
}

template <class T>
Output OutputOfPlanes(const FrequencyGrid& grid, const Rows<T>& sin, const Rows<T>& cos) noexcept {
  const PlaneElements elements = PlaneElementsOf(grid);
  Output output = OutputOf(sin, elements.sin);
  if (elements.cos == 0) return output;  // one sine, which is the whole row
  const Output cosines = OutputOf(cos, elements.cos);
  output.second = cosines.data;
  output.second_row_bytes = cosines.row_bytes;
  if (grid.cos_first) {
    std::swap(output.data, output.second);
    std::swap(output.row_bytes, output.second_row_bytes);
  }
  return output;
}

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
  const std::size_t row_bytes = static_cast<std::size_t>(output.row_bytes);
  const std::size_t second_row_bytes = static_cast<std::size_t>(output.second_row_bytes);
  const std::size_t element_bytes = output.type == ElementType::kDouble  ? 8
                                    : output.type == ElementType::kFloat ? 4
                                                                         : 2;
  std::size_t misaligned = reinterpret_cast<std::uintptr_t>(output.data) | row_bytes;
  if (output.second != nullptr) {
    misaligned |= reinterpret_cast<std::uintptr_t>(output.second) | second_row_bytes;
  } else if (grid.shape.step == 1) {
    misaligned |= (grid.shape.sin_first | grid.shape.cos_first) * element_bytes;
  }
  return misaligned % 64 == 0;
}

// The same for rows of heads, each a row of its own.
bool HeadsStream(const FrequencyGrid& grid, Output rows, std::size_t head_bytes, std::size_t heads) noexcept {
  if (rows.row_bytes % 64 != 0) return false;
  rows.row_bytes = static_cast<std::ptrdiff_t>(head_bytes);
  return BypassesCaches(rows, heads) && IsAligned(grid, rows);
}

// Rows at start + row * step, all of them an int64.
void WriteRange(const FrequencyGrid& grid, const Output& rows, std::int64_t start, std::int64_t step,
                std::size_t count) noexcept {
  const std::uint64_t stride = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  if (IsExtreme(grid, rows) || stride == 0 || count < (stride == 1 ? kMinRangeRows : kMinSteppedRows)) {
    WriteList(grid, rows, 0, count, [&](std::size_t row) {
      return ListPositionOf(
          static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(step) * row));
    });
    return;
  }
  Output output = rows;
  const bool bypass = BypassesCaches(output, count);
  output.stream = bypass && IsAligned(grid, output);
  // Bounced rows have x where the layout has pairs alone.
  output.bounce = bypass && !output.stream && (output.x == nullptr || grid.shape.step == 2);
  std::int64_t lowest = start;
  if (step < 0) {
    lowest =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(step) * (count - 1));
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

// How many positions from row on are consecutive integers, going up or down by step (1 or -1).
template <class P>
std::size_t RunLength(std::span<const P> positions, std::size_t row, std::int64_t& start, std::int64_t& step) noexcept {
  const P first = positions[row];
  if constexpr (std::is_floating_point_v<P>) {
    // Beyond 2^24 or 2^53 consecutive integers are no floats or doubles. Also false for NaN. -0.0 is not the integer 0.
    constexpr P kConsecutive{std::int64_t{1} << std::numeric_limits<P>::digits};
    if (!(first > -kConsecutive && first < kConsecutive) || (first == 0 && std::signbit(first))) return 1;
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
      constexpr std::int64_t kEnd = std::int64_t{1} << std::numeric_limits<P>::digits;
      if (next < -kEnd || next > kEnd) break;
    } else {
      if (static_cast<std::int64_t>(position) != next) break;
    }
  }
  return length;
}

template <class P>
void WriteRuns(const FrequencyGrid& grid, const Output& output, std::span<const P> positions) noexcept {
  constexpr std::size_t kMinRun = 16;
  std::size_t pending = 0;  // rows from here to row belong to no run
  for (std::size_t row = 0; row < positions.size();) {
    std::int64_t start = 0, step = 1;
    const std::size_t length = RunLength(positions, row, start, step);
    if (length >= kMinRun) {
      WriteScattered(grid, output, pending, row, positions);
      WriteRange(grid, From(output, row), start, step, length);
      pending = row + length;
    }
    row += length;
  }
  WriteScattered(grid, output, pending, positions.size(), positions);
}

template <class P>
void WritePositions(const FrequencyGrid& grid, const Output& output, std::span<const P> positions) noexcept {
  if (positions.size() >= kMinSortedRows && output.x == nullptr && BypassesCaches(output, positions.size()) &&
      IsAligned(grid, output)) {
    Output streamed = output;
    streamed.stream = true;
    return WriteRuns(grid, streamed, positions);
  }
  WriteRuns(grid, output, positions);
}

}  // namespace

Result<Encoder> Encoder::Make(const Spec& spec) {
  Result<Encoder> result;
  result.error = Validate(spec);
  if (result.error != Error::kNone) return result;
  const std::shared_ptr<EncoderState> state = MakeShared<EncoderState>();
  if (state == nullptr || !Copy(spec, state->spec)) {
    result.error = Error::kMemory;
    return result;
  }
  const DefaultFloatMode mode;
  result.error = FillGrid(spec, state->grid);
  if (result.error != Error::kNone) return result;
  FillRotations(state->grid);
  result.value.state_ = state;
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

template <class T>
Error Encoder::EncodePlanes(std::int64_t start, Rows<T> sin, Rows<T> cos, std::int64_t step) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  if (sin.count != cos.count) return Error::kPlaneCount;
  if (sin.count == 0) return Error::kNone;
  const FrequencyGrid& grid = state_->grid;
  const PlaneElements elements = PlaneElementsOf(grid);
  if (const Error error = CheckPlanes(sin, cos, elements); error != Error::kNone) return error;
  if (const Error error = CheckRange(start, step, sin.count); error != Error::kNone) return error;
  if (elements.sin == 0) return Error::kNone;
  const DefaultFloatMode mode;
  WriteRange(grid, OutputOfPlanes(grid, sin, cos), start, step, sin.count);
  return Error::kNone;
}

template <class P, class T>
Error Encoder::EncodePlanes(std::span<const P> positions, Rows<T> sin, Rows<T> cos) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  if (sin.count != cos.count) return Error::kPlaneCount;
  if (positions.size() != sin.count) return Error::kPositionCount;
  if (sin.count == 0) return Error::kNone;
  const FrequencyGrid& grid = state_->grid;
  const PlaneElements elements = PlaneElementsOf(grid);
  if (const Error error = CheckPlanes(sin, cos, elements); error != Error::kNone) return error;
  const DefaultFloatMode mode;
  if (const Error error = CheckPositionValues(positions); error != Error::kNone) return error;
  const Memory read = MemoryOf(positions);
  if (elements.sin != 0 && read.Overlaps(MemoryOf(sin, elements.sin))) return Error::kPositionOverlap;
  if (elements.cos != 0 && read.Overlaps(MemoryOf(cos, elements.cos))) return Error::kPositionOverlap;
  if (elements.sin == 0) return Error::kNone;
  WritePositions(grid, OutputOfPlanes(grid, sin, cos), positions);
  return Error::kNone;
}

template <class P, class T>
Error Encoder::Rotate(std::span<const P> positions, HeadShape shape, Rows<const T> x, Rows<T> out) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  const FrequencyGrid& grid = state_->grid;
  const std::size_t dim = state_->spec.dim;
  if (dim % 2 != 0) return Error::kEvenDim;
  if (shape.head_dim == 0) shape.head_dim = dim;
  constexpr std::size_t kMaxElements = static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T);
  if (shape.head_dim < dim || shape.heads > kMaxElements / shape.head_dim) return Error::kHeadShape;
  if (positions.size() != out.count) return Error::kPositionCount;
  if (x.count != out.count) return Error::kXCount;
  const std::size_t elements = shape.heads * shape.head_dim;
  if (out.count == 0 || elements == 0) return Error::kNone;
  if (const Error error = CheckOut(out, elements); error != Error::kNone) return error;
  const DefaultFloatMode mode;
  if (const Error error = CheckPositions(positions, out, elements); error != Error::kNone) return error;
  if (const Error error = CheckX(x, 1.0, out, elements); error != Error::kNone) return error;
  Output rows = OutputOf(out, elements, x, 1.0);
  rows.stream = HeadsStream(grid, rows, shape.head_dim * sizeof(T), out.count * shape.heads);
  ForListRows(0, out.count, ListPositionsOf(positions),
              [&](const ListPosition* list, std::size_t row, std::size_t count) {
                RotateRows(grid, list, count, shape, From(rows, row));
              });
  return Error::kNone;
}

Error Encoder::Similarity(std::span<const std::int64_t> offsets, std::span<double> out) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  const FrequencyGrid& grid = state_->grid;
  if (grid.shape.cosines != grid.shape.sines) return Error::kUnpairedSine;
  if (offsets.size() != out.size()) return Error::kOffsetCount;
  if (MemoryOf(offsets).Overlaps(MemoryOf(out))) return Error::kOffsetOverlap;
  const DefaultFloatMode mode;
  SimilarityOf(grid, offsets.data(), offsets.size(), out.data());
  return Error::kNone;
}

#define POSENC_INSTANTIATE_POSITION(P, T)                                                               \
  template Error Encoder::Encode(std::span<const P>, Rows<T>) const noexcept;                           \
  template Error Encoder::EncodeAdd(std::span<const P>, double, Rows<const T>, Rows<T>) const noexcept; \
  template Error Encoder::EncodePlanes(std::span<const P>, Rows<T>, Rows<T>) const noexcept;            \
  template Error Encoder::Rotate(std::span<const P>, HeadShape, Rows<const T>, Rows<T>) const noexcept;
#define POSENC_INSTANTIATE(T)                                                                                        \
  template Error Encoder::EncodeRange(std::int64_t, Rows<T>, std::int64_t) const noexcept;                           \
  template Error Encoder::EncodeAddRange(std::int64_t, double, Rows<const T>, Rows<T>, std::int64_t) const noexcept; \
  template Error Encoder::EncodePlanes(std::int64_t, Rows<T>, Rows<T>, std::int64_t) const noexcept;                 \
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
