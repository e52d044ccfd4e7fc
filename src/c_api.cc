// Room door: the calls of C go in, those of posenc.h come out, with untyped memory as the type that the caller named.

#include "posenc/c_api.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "posenc/posenc.h"
#include "src/heap.h"

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

template <class T>
Rows<T> RowsOf(std::conditional_t<std::is_const_v<T>, const void*, void*> data, std::size_t count,
               std::size_t stride) noexcept {
  return {static_cast<T*>(data), count, stride};
}

// call.operator()<T>() with the type of a dtype.
template <class Call>
Error WithElements(posenc_dtype dtype, const Call& call) noexcept {
  switch (dtype) {
    case POSENC_F32:
      return call.template operator()<float>();
    case POSENC_F64:
      return call.template operator()<double>();
    case POSENC_F16:
      return call.template operator()<Half>();
    case POSENC_BF16:
      return call.template operator()<BFloat16>();
    default:
      return Error::kElementType;
  }
}

// call(span of positions) with the type of a position_type.
template <class Call>
Error WithPositions(posenc_position_type type, const void* positions, std::size_t count, const Call& call) noexcept {
  if (positions == nullptr && count != 0) return Error::kPointer;
  const auto call_with = [&]<class P>() { return call(std::span<const P>(static_cast<const P*>(positions), count)); };
  switch (type) {
    case POSENC_POS_I32:
      return call_with.template operator()<std::int32_t>();
    case POSENC_POS_I64:
      return call_with.template operator()<std::int64_t>();
    case POSENC_POS_F32:
      return call_with.template operator()<float>();
    case POSENC_POS_F64:
      return call_with.template operator()<double>();
    default:
      return Error::kPositionType;
  }
}

}  // namespace
}  // namespace posenc

using posenc::CodeOf;
using posenc::Error;
using posenc::RowsOf;
using posenc::WithElements;
using posenc::WithPositions;

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
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  return CodeOf(WithElements(
      dtype, [&]<class T>() { return encoder->encoder.EncodeRange(start, RowsOf<T>(out, count, stride), step); }));
}

int posenc_encode(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                  size_t count, posenc_dtype dtype, void* out, size_t stride) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  return CodeOf(WithElements(dtype, [&]<class T>() {
    return WithPositions(position_type, positions, count,
                         [&](auto list) { return encoder->encoder.Encode(list, RowsOf<T>(out, count, stride)); });
  }));
}

int posenc_encode_add_range(const posenc_encoder* encoder, int64_t start, int64_t step, double x_scale, size_t count,
                            posenc_dtype dtype, const void* x, size_t x_stride, void* out, size_t stride) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  return CodeOf(WithElements(dtype, [&]<class T>() {
    return encoder->encoder.EncodeAddRange(start, x_scale, RowsOf<const T>(x, count, x_stride),
                                           RowsOf<T>(out, count, stride), step);
  }));
}

int posenc_encode_add(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                      double x_scale, size_t count, posenc_dtype dtype, const void* x, size_t x_stride, void* out,
                      size_t stride) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  return CodeOf(WithElements(dtype, [&]<class T>() {
    return WithPositions(position_type, positions, count, [&](auto list) {
      return encoder->encoder.EncodeAdd(list, x_scale, RowsOf<const T>(x, count, x_stride),
                                        RowsOf<T>(out, count, stride));
    });
  }));
}

int posenc_encode_planes_range(const posenc_encoder* encoder, int64_t start, int64_t step, size_t count,
                               posenc_dtype dtype, void* sin_rows, size_t sin_stride, void* cos_rows,
                               size_t cos_stride) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  return CodeOf(WithElements(dtype, [&]<class T>() {
    return encoder->encoder.EncodePlanes(start, RowsOf<T>(sin_rows, count, sin_stride),
                                         RowsOf<T>(cos_rows, count, cos_stride), step);
  }));
}

int posenc_encode_planes(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                         size_t count, posenc_dtype dtype, void* sin_rows, size_t sin_stride, void* cos_rows,
                         size_t cos_stride) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  return CodeOf(WithElements(dtype, [&]<class T>() {
    return WithPositions(position_type, positions, count, [&](auto list) {
      return encoder->encoder.EncodePlanes(list, RowsOf<T>(sin_rows, count, sin_stride),
                                           RowsOf<T>(cos_rows, count, cos_stride));
    });
  }));
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
  return CodeOf(WithElements(dtype, [&]<class T>() {
    return posenc::EncodeGrid(std::span<const posenc::Axis>(copies, axis_count), RowsOf<T>(out, count, stride));
  }));
}

int posenc_rotate(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                  size_t count, size_t heads, size_t head_dim, posenc_dtype dtype, const void* x, size_t x_stride,
                  void* out, size_t stride) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  return CodeOf(WithElements(dtype, [&]<class T>() {
    return WithPositions(position_type, positions, count, [&](auto list) {
      return encoder->encoder.Rotate(list, posenc::HeadShape{heads, head_dim}, RowsOf<const T>(x, count, x_stride),
                                     RowsOf<T>(out, count, stride));
    });
  }));
}

int posenc_similarity(const posenc_encoder* encoder, const int64_t* offsets, size_t count, double* out) {
  if (encoder == nullptr) return CodeOf(Error::kNotMade);
  if ((offsets == nullptr || out == nullptr) && count != 0) return CodeOf(Error::kPointer);
  return CodeOf(encoder->encoder.Similarity({offsets, count}, {out, count}));
}
