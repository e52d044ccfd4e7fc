// Room door: a Spec and the caller's memory go in; checks every argument, and hands what is valid to the lists. A call
// is checked and made once, for all types: the templates of the door give their types on as values.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "posenc/posenc.h"
#include "src/arguments.h"
#include "src/calls.h"
#include "src/float_mode.h"
#include "src/grid.h"
#include "src/heap.h"
#include "src/kernels.h"
#include "src/lists.h"
#include "src/similarity.h"
#include "src/spec.h"
#include "src/store.h"

namespace posenc {
namespace {

Error CheckX(const AnyRows<const void>& x, double x_scale, const AnyRows<void>& out,
             std::size_t row_elements) noexcept {
  const Error error = CheckRows(x, row_elements, Error::kXNull, Error::kXStride, Error::kXSize);
  if (error != Error::kNone) return error;
  if (!(x_scale - x_scale == 0.0)) return Error::kXScale;
  const bool same = x.data == out.data && StrideOf(x, row_elements) == StrideOf(out, row_elements);
  return !same && MemoryOf(x, row_elements).Overlaps(MemoryOf(out, row_elements)) ? Error::kXOverlap : Error::kNone;
}

// From a row to the next.
template <class Data>
std::ptrdiff_t RowBytes(const AnyRows<Data>& rows, std::size_t row_elements) noexcept {
  return static_cast<std::ptrdiff_t>(StrideOf(rows, row_elements) << ElementShift(rows.type));
}

Output OutputOf(const AnyRows<void>& out, std::size_t row_elements) noexcept {
  Output output;
  output.data = out.data;
  output.row_bytes = RowBytes(out, row_elements);
  output.type = out.type;
  output.stores = out.stores;
  return output;
}

void AddX(const AnyRows<const void>& x, double x_scale, std::size_t row_elements, Output& output) noexcept {
  output.x = x.data;
  output.x_row_bytes = RowBytes(x, row_elements);
  output.x_scale = x_scale;
}

// Rows of sines or of cosines; without elements they may be anything.
struct Plane {
  Plane(const AnyRows<void>& rows, std::size_t elements) noexcept : row_bytes(elements << ElementShift(rows.type)) {
    if (elements == 0) return;
    error = CheckOut(rows, elements);
    stride_bytes = RowBytes(rows, elements);
    memory = MemoryOf(rows, elements);
  }

  Error error = Error::kNone;
  std::size_t row_bytes;
  std::ptrdiff_t stride_bytes = 0;
  Memory memory;
};

// Whether two planes share an element. Of one stride, rows of one may lie between those of the other: side by side in
// one table.
bool Overlap(const Plane& a, const Plane& b) noexcept {
  if (!a.memory.Overlaps(b.memory)) return false;
  if (a.stride_bytes != b.stride_bytes) return true;
  // From the start of a row of the lower plane to that of the next row of the other one.
  const Plane& lower = a.memory.begin <= b.memory.begin ? a : b;
  const Plane& other = &lower == &a ? b : a;
  const std::size_t stride = static_cast<std::size_t>(a.stride_bytes);
  const std::size_t distance = (other.memory.begin - lower.memory.begin) % stride;
  return distance < lower.row_bytes || distance + other.row_bytes > stride;
}

}  // namespace

// The mode comes first in each call: to read it takes as long as the checks, which pass meanwhile.

Error EncodeRows(const EncoderState* state, const Positions& positions, const AnyRows<void>& out,
                 const AnyRows<const void>* x, double x_scale) noexcept {
  const DefaultFloatMode mode;
  if (state == nullptr) return Error::kNotMade;
  if (positions.count != out.count) return Error::kPositionCount;
  if (x != nullptr && x->count != out.count) return Error::kXCount;
  if (out.count == 0) return Error::kNone;
  const std::size_t dim = state->dim;
  if (const Error error = CheckOut(out, dim); error != Error::kNone) return error;
  if (const Error error = CheckPositions(positions, MemoryOf(out, dim)); error != Error::kNone) return error;
  Output rows = OutputOf(out, dim);
  if (x != nullptr) {
    if (const Error error = CheckX(*x, x_scale, out, dim); error != Error::kNone) return error;
    AddX(*x, x_scale, dim, rows);
  }
  WriteRows(state->grid, rows, positions);
  return Error::kNone;
}

Error EncodePlaneRows(const EncoderState* state, const Positions& positions, const AnyRows<void>& sin,
                      const AnyRows<void>& cos) noexcept {
  const DefaultFloatMode mode;
  if (state == nullptr) return Error::kNotMade;
  if (sin.count != cos.count) return Error::kPlaneCount;
  if (positions.count != sin.count) return Error::kPositionCount;
  if (sin.count == 0) return Error::kNone;
  const FrequencyGrid& grid = state->grid;
  const Plane sines(sin, grid.shape.sines), cosines(cos, grid.shape.cosines);
  if (sines.error != Error::kNone) return sines.error;
  if (cosines.error != Error::kNone) return cosines.error;
  if (Overlap(sines, cosines)) return Error::kPlaneOverlap;
  const Error error = CheckPositions(positions, sines.memory, cosines.memory);
  if (error != Error::kNone || sines.row_bytes == 0) return error;
  Output rows = OutputOf(sin, grid.shape.sines);
  if (cosines.row_bytes != 0) {  // else one sine, which is the whole row
    rows.second = cos.data;
    rows.second_row_bytes = cosines.stride_bytes;
    if (grid.cos_first) {
      std::swap(rows.data, rows.second);
      std::swap(rows.row_bytes, rows.second_row_bytes);
    }
  }
  WriteRows(grid, rows, positions);
  return Error::kNone;
}

Error RotateRows(const EncoderState* state, const Positions& positions, HeadShape shape, const AnyRows<const void>& x,
                 const AnyRows<void>& out) noexcept {
  const DefaultFloatMode mode;
  if (state == nullptr) return Error::kNotMade;
  const std::size_t dim = state->dim;
  if (dim % 2 != 0) return Error::kEvenDim;
  if (shape.head_dim == 0) shape.head_dim = dim;
  const std::size_t most_elements = static_cast<std::size_t>(PTRDIFF_MAX) >> ElementShift(out.type);
  if (shape.head_dim < dim || shape.heads > most_elements / shape.head_dim) return Error::kHeadShape;
  if (positions.count != out.count) return Error::kPositionCount;
  if (x.count != out.count) return Error::kXCount;
  const std::size_t elements = shape.heads * shape.head_dim;
  if (out.count == 0 || elements == 0) return Error::kNone;
  if (const Error error = CheckOut(out, elements); error != Error::kNone) return error;
  if (const Error error = CheckPositions(positions, MemoryOf(out, elements)); error != Error::kNone) return error;
  if (const Error error = CheckX(x, 1.0, out, elements); error != Error::kNone) return error;
  Output rows = OutputOf(out, elements);
  AddX(x, 1.0, elements, rows);
  WriteRotated(state->grid, rows, positions, shape);
  return Error::kNone;
}

Result<Encoder> Encoder::Make(const Spec& spec) {
  Result<Encoder> result;
  result.error = Validate(spec);
  if (result.error != Error::kNone) return result;
  const std::shared_ptr<EncoderState> state = MakeShared<EncoderState>();
  if (state == nullptr || !Copy(spec, *state)) {
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
  return state_ == nullptr ? empty : *state_;
}

template <class T>
Error Encoder::EncodeRange(std::int64_t start, Rows<T> out, std::int64_t step) const noexcept {
  return EncodeRows(state_.get(), RangeOf(start, step, out.count), Untyped(out));
}

template <class P, class T>
Error Encoder::Encode(std::span<const P> positions, Rows<T> out) const noexcept {
  return EncodeRows(state_.get(), ListOf(positions), Untyped(out));
}

template <class T>
Error Encoder::EncodeAddRange(std::int64_t start, double x_scale, Rows<const T> x, Rows<T> out,
                              std::int64_t step) const noexcept {
  const auto addend = Untyped(x);
  return EncodeRows(state_.get(), RangeOf(start, step, out.count), Untyped(out), &addend, x_scale);
}

template <class P, class T>
Error Encoder::EncodeAdd(std::span<const P> positions, double x_scale, Rows<const T> x, Rows<T> out) const noexcept {
  const auto addend = Untyped(x);
  return EncodeRows(state_.get(), ListOf(positions), Untyped(out), &addend, x_scale);
}

template <class T>
Error Encoder::EncodePlanes(std::int64_t start, Rows<T> sin, Rows<T> cos, std::int64_t step) const noexcept {
  return EncodePlaneRows(state_.get(), RangeOf(start, step, sin.count), Untyped(sin), Untyped(cos));
}

template <class P, class T>
Error Encoder::EncodePlanes(std::span<const P> positions, Rows<T> sin, Rows<T> cos) const noexcept {
  return EncodePlaneRows(state_.get(), ListOf(positions), Untyped(sin), Untyped(cos));
}

template <class P, class T>
Error Encoder::Rotate(std::span<const P> positions, HeadShape shape, Rows<const T> x, Rows<T> out) const noexcept {
  return RotateRows(state_.get(), ListOf(positions), shape, Untyped(x), Untyped(out));
}

Error Encoder::Similarity(std::span<const std::int64_t> offsets, std::span<double> out) const noexcept {
  if (state_ == nullptr) return Error::kNotMade;
  const FrequencyGrid& grid = state_->grid;
  if (grid.shape.cosines != grid.shape.sines) return Error::kUnpairedSine;
  if (offsets.size() != out.size()) return Error::kOffsetCount;
  const Memory read = MemoryOf(offsets.data(), offsets.size_bytes());
  if (read.Overlaps(MemoryOf(out.data(), out.size_bytes()))) return Error::kOffsetOverlap;
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
