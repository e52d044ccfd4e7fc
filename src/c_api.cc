// Room door: the calls of C go in, those of room calls come out.

#include "posenc/c_api.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "posenc/posenc.h"
#include "src/calls.h"
#include "src/heap.h"
#include "src/store.h"

struct posenc_encoder {
  posenc::Encoder encoder;
};

namespace posenc {
namespace {

static_assert(POSENC_INTERLEAVED == static_cast<int>(Layout::kInterleaved));
static_assert(POSENC_SPLIT == static_cast<int>(Layout::kSplit));
static_assert(POSENC_EXCLUSIVE == static_cast<int>(Spacing::kExclusive));
static_assert(POSENC_INCLUSIVE == static_cast<int>(Spacing::kInclusive));
static_assert(POSENC_ODD_ERROR == static_cast<int>(OddDim::kError));
static_assert(POSENC_ODD_ZERO == static_cast<int>(OddDim::kZero));
static_assert(POSENC_ODD_DROP_COS == static_cast<int>(OddDim::kDropCos));
static_assert(POSENC_F32 == static_cast<int>(ElementType::kFloat));
static_assert(POSENC_F64 == static_cast<int>(ElementType::kDouble));
static_assert(POSENC_F16 == static_cast<int>(ElementType::kHalf));
static_assert(POSENC_BF16 == static_cast<int>(ElementType::kBFloat16));
static_assert(POSENC_POS_I32 == static_cast<int>(PositionType::kInt32));
static_assert(POSENC_POS_I64 == static_cast<int>(PositionType::kInt64));
static_assert(POSENC_POS_F32 == static_cast<int>(PositionType::kFloat));
static_assert(POSENC_POS_F64 == static_cast<int>(PositionType::kDouble));
static_assert(static_cast<int>(Error::kNone) == 0);

// What no valid Spec has.
constexpr std::size_t kMaxFrequencies = std::size_t{1} << 26;

int CodeOf(Error error) noexcept { return static_cast<int>(error); }

// Any int: Validate refuses what is none of the enumerators, and so must what does not fit into one.
template <class E>
E EnumOf(int value) noexcept {
  return static_cast<E>(value < 0 || value > 255 ? 255 : value);
}

// The spec of a caller who knows spec->size bytes of it. Only whole fields count.
Error KnownSpec(const posenc_spec& from, posenc_spec& spec) noexcept {
  if (from.size < offsetof(posenc_spec, dim) + sizeof(spec.dim) || from.size > sizeof(posenc_spec)) {
    return Error::kSpecSize;
  }
  spec = posenc_default_spec(0);
  const auto take = [&]<class Field>(Field posenc_spec::*field, std::size_t offset) {
    if (offset + sizeof(Field) > from.size) return;
    std::memcpy(&(spec.*field), reinterpret_cast<const char*>(&from) + offset, sizeof(Field));
  };
  take(&posenc_spec::dim, offsetof(posenc_spec, dim));
  take(&posenc_spec::base, offsetof(posenc_spec, base));
  take(&posenc_spec::layout, offsetof(posenc_spec, layout));
  take(&posenc_spec::cos_first, offsetof(posenc_spec, cos_first));
  take(&posenc_spec::spacing, offsetof(posenc_spec, spacing));
  take(&posenc_spec::odd, offsetof(posenc_spec, odd));
  take(&posenc_spec::position_scale, offsetof(posenc_spec, position_scale));
  take(&posenc_spec::amplitude, offsetof(posenc_spec, amplitude));
  take(&posenc_spec::inv_freq, offsetof(posenc_spec, inv_freq));
  take(&posenc_spec::inv_freq_count, offsetof(posenc_spec, inv_freq_count));
  return Error::kNone;
}

Error Make(const posenc_spec& given, posenc_encoder*& out) noexcept {
  posenc_spec known;
  if (const Error error = KnownSpec(given, known); error != Error::kNone) return error;
  if (known.inv_freq == nullptr && known.inv_freq_count != 0) return Error::kPointer;
  if (known.inv_freq_count > kMaxFrequencies) return Error::kInvFreqSize;
  Spec spec;
  spec.dim = known.dim;
  spec.base = known.base;
  spec.layout = EnumOf<Layout>(known.layout);
  spec.cos_first = known.cos_first != 0;
  spec.spacing = EnumOf<Spacing>(known.spacing);
  spec.odd = EnumOf<OddDim>(known.odd);
  spec.position_scale = known.position_scale;
  spec.amplitude = known.amplitude;
  if (!Resize(spec.inv_freq, known.inv_freq_count)) return Error::kMemory;
  std::copy_n(known.inv_freq, known.inv_freq_count, spec.inv_freq.begin());
  Result<Encoder> made = Encoder::Make(spec);
  if (!made) return made.error;
  out = new (std::nothrow) posenc_encoder{std::move(made.value)};
  return out == nullptr ? Error::kMemory : Error::kNone;
}

bool IsElementType(posenc_dtype dtype) noexcept { return dtype >= POSENC_F32 && dtype <= POSENC_BF16; }

// The first rule of those that C adds which a call breaks. Ranges have no list.
Error Check(const posenc_encoder* encoder, posenc_dtype dtype, posenc_position_type position_type = POSENC_POS_I32,
            const void* list = nullptr, std::size_t count = 0) noexcept {
  if (encoder == nullptr) return Error::kNotMade;
  if (!IsElementType(dtype)) return Error::kElementType;
  if (list == nullptr && count != 0) return Error::kPointer;
  return position_type < POSENC_POS_I32 || position_type > POSENC_POS_F64 ? Error::kPositionType : Error::kNone;
}

template <class Data>
AnyRows<Data> RowsOf(Data* data, std::size_t stride, std::size_t count, posenc_dtype dtype) noexcept {
  return {data, static_cast<ElementType>(dtype), stride, Stores::kAuto, count};
}

}  // namespace
}  // namespace posenc

using posenc::AnyRows;
using posenc::Check;
using posenc::CodeOf;
using posenc::Error;
using posenc::ListOf;
using posenc::PositionType;
using posenc::RangeOf;
using posenc::RowsOf;
using posenc::StateOf;

int posenc_make(const posenc_spec* spec, posenc_encoder** out) {
  if (out == nullptr) return CodeOf(Error::kPointer);
  *out = nullptr;
  if (spec == nullptr) return CodeOf(Error::kPointer);
  return CodeOf(posenc::Make(*spec, *out));
}

void posenc_free(posenc_encoder* encoder) { delete encoder; }

const char* posenc_message(int code) { return posenc::Message(posenc::EnumOf<Error>(code)); }

const char* posenc_active_target(void) { return posenc::ActiveTarget(); }

int posenc_encode_range(const posenc_encoder* encoder, int64_t start, int64_t step, size_t count, posenc_dtype dtype,
                        void* out, size_t stride) {
  if (const Error error = Check(encoder, dtype); error != Error::kNone) return CodeOf(error);
  return CodeOf(EncodeRows(StateOf(encoder->encoder), RangeOf(start, step, count), RowsOf(out, stride, count, dtype)));
}

int posenc_encode(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                  size_t count, posenc_dtype dtype, void* out, size_t stride) {
  const Error error = Check(encoder, dtype, position_type, positions, count);
  if (error != Error::kNone) return CodeOf(error);
  return CodeOf(EncodeRows(StateOf(encoder->encoder),
                           ListOf(static_cast<PositionType>(position_type), positions, count),
                           RowsOf(out, stride, count, dtype)));
}

int posenc_encode_add_range(const posenc_encoder* encoder, int64_t start, int64_t step, double x_scale, size_t count,
                            posenc_dtype dtype, const void* x, size_t x_stride, void* out, size_t stride) {
  if (const Error error = Check(encoder, dtype); error != Error::kNone) return CodeOf(error);
  const AnyRows<const void> addend = RowsOf(x, x_stride, count, dtype);
  return CodeOf(EncodeRows(StateOf(encoder->encoder), RangeOf(start, step, count), RowsOf(out, stride, count, dtype),
                           &addend, x_scale));
}

int posenc_encode_add(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                      double x_scale, size_t count, posenc_dtype dtype, const void* x, size_t x_stride, void* out,
                      size_t stride) {
  const Error error = Check(encoder, dtype, position_type, positions, count);
  if (error != Error::kNone) return CodeOf(error);
  const AnyRows<const void> addend = RowsOf(x, x_stride, count, dtype);
  return CodeOf(EncodeRows(StateOf(encoder->encoder),
                           ListOf(static_cast<PositionType>(position_type), positions, count),
                           RowsOf(out, stride, count, dtype), &addend, x_scale));
}

int posenc_encode_planes_range(const posenc_encoder* encoder, int64_t start, int64_t step, size_t count,
                               posenc_dtype dtype, void* sin_rows, size_t sin_stride, void* cos_rows,
                               size_t cos_stride) {
  if (const Error error = Check(encoder, dtype); error != Error::kNone) return CodeOf(error);
  return CodeOf(EncodePlaneRows(StateOf(encoder->encoder), RangeOf(start, step, count),
                                RowsOf(sin_rows, sin_stride, count, dtype),
                                RowsOf(cos_rows, cos_stride, count, dtype)));
}

int posenc_encode_planes(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                         size_t count, posenc_dtype dtype, void* sin_rows, size_t sin_stride, void* cos_rows,
                         size_t cos_stride) {
  const Error error = Check(encoder, dtype, position_type, positions, count);
  if (error != Error::kNone) return CodeOf(error);
  return CodeOf(
      EncodePlaneRows(StateOf(encoder->encoder), ListOf(static_cast<PositionType>(position_type), positions, count),
                      RowsOf(sin_rows, sin_stride, count, dtype), RowsOf(cos_rows, cos_stride, count, dtype)));
}

int posenc_encode_grid(const posenc_axis* axes, size_t axis_count, size_t count, posenc_dtype dtype, void* out,
                       size_t stride) {
  constexpr std::size_t kFewAxes = 8;
  if (axes == nullptr && axis_count != 0) return CodeOf(Error::kPointer);
  posenc::Axis few[kFewAxes];
  std::unique_ptr<posenc::Axis[]> many;
  if (axis_count > kFewAxes) {
    many = posenc::MakeArray<posenc::Axis>(axis_count);
    if (many == nullptr) return CodeOf(Error::kMemory);
  }
  posenc::Axis* const copies = many != nullptr ? many.get() : few;
  for (std::size_t i = 0; i < axis_count; ++i) {
    if (axes[i].positions == nullptr && axes[i].count != 0) return CodeOf(Error::kPointer);
    copies[i].encoder = axes[i].encoder == nullptr ? nullptr : &axes[i].encoder->encoder;
    copies[i].positions = {axes[i].positions, axes[i].count};
    copies[i].column = axes[i].column;
  }
  if (!posenc::IsElementType(dtype)) return CodeOf(Error::kElementType);
  return CodeOf(EncodeGridRows({copies, axis_count}, RowsOf(out, stride, count, dtype)));
}

int posenc_rotate(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                  size_t count, size_t heads, size_t head_dim, posenc_dtype dtype, const void* x, size_t x_stride,
                  void* out, size_t stride) {
  const Error error = Check(encoder, dtype, position_type, positions, count);
  if (error != Error::kNone) return CodeOf(error);
  return CodeOf(RotateRows(
      StateOf(encoder->encoder), ListOf(static_cast<PositionType>(position_type), positions, count),
      posenc::HeadShape{heads, head_dim}, RowsOf(x, x_stride, count, dtype), RowsOf(out, stride, count, dtype)));
}

int posenc_similarity(const posenc_encoder* encoder, const int64_t* offsets, size_t count, double* out) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  if ((offsets == nullptr || out == nullptr) && count != 0) return CodeOf(Error::kPointer);
  return CodeOf(encoder->encoder.Similarity({offsets, count}, {out, count}));
}
