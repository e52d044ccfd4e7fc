// Room calls: the calls of posenc.h go in with their types as values, for one body of each call to serve all types.
// encoder.cc and axes.cc define them; the templates of the door and the calls of C do nothing but call them.

#ifndef POSENC_SRC_CALLS_H_
#define POSENC_SRC_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "posenc/posenc.h"
#include "src/grid.h"
#include "src/store.h"

namespace posenc {

// What differences and products of positions fit in.
__extension__ using Int128 = __int128;

// What an encoder owns. The Spec is a base, so that Encoder::spec() leads to the rest.
struct EncoderState : Spec {
  FrequencyGrid grid;
};

// Null if the encoder has none.
inline const EncoderState* StateOf(const Encoder& encoder) noexcept {
  const Spec& spec = encoder.spec();
  return spec.dim == 0 ? nullptr : static_cast<const EncoderState*>(&spec);  // 0: the spec of no encoder
}

enum class PositionType : std::uint8_t { kInt32, kInt64, kFloat, kDouble, kRange };

// The positions of rows: a list of the caller's, or start + row * step. What the other kind has is not set.
struct Positions {
  PositionType type;
  std::size_t count;
  const void* list;
  std::int64_t start;
  std::int64_t step;
};

inline Positions RangeOf(std::int64_t start, std::int64_t step, std::size_t count) noexcept {
  return {PositionType::kRange, count, nullptr, start, step};
}

inline Positions ListOf(PositionType type, const void* list, std::size_t count) noexcept {
  Positions positions;
  positions.type = type;
  positions.count = count;
  positions.list = list;
  return positions;
}

template <class P>
Positions ListOf(std::span<const P> positions) noexcept {
  constexpr PositionType kType = std::is_same_v<P, std::int32_t>   ? PositionType::kInt32
                                 : std::is_same_v<P, std::int64_t> ? PositionType::kInt64
                                 : std::is_same_v<P, float>        ? PositionType::kFloat
                                                                   : PositionType::kDouble;
  return ListOf(kType, positions.data(), positions.size());
}

// call(list) with a list as what it is.
template <class Call>
auto WithList(const Positions& positions, const Call& call) noexcept {
  switch (positions.type) {
    case PositionType::kInt32:
      return call(static_cast<const std::int32_t*>(positions.list));
    case PositionType::kInt64:
      return call(static_cast<const std::int64_t*>(positions.list));
    case PositionType::kFloat:
      return call(static_cast<const float*>(positions.list));
    default:
      return call(static_cast<const double*>(positions.list));
  }
}

// Rows with the type of their elements as a value; Data is void, or const void. No two words of Rows are side by side:
// compilers would copy them as one vector, which waits for the two stores by which the caller has just made them.
template <class Data>
struct AnyRows {
  Data* data;
  ElementType type;
  std::size_t stride;  // in elements
  Stores stores;
  std::size_t count;
};

// ElementBytes is 1 << ElementShift: a short row notices products and quotients.
constexpr int ElementShift(ElementType type) noexcept {
  return type == ElementType::kDouble ? 3 : type == ElementType::kFloat ? 2 : 1;
}

template <class T>
auto Untyped(const Rows<T>& rows) noexcept {
  using Element = std::remove_const_t<T>;
  constexpr ElementType kType = std::is_same_v<Element, float>    ? ElementType::kFloat
                                : std::is_same_v<Element, double> ? ElementType::kDouble
                                : std::is_same_v<Element, Half>   ? ElementType::kHalf
                                                                  : ElementType::kBFloat16;
  using Data = std::conditional_t<std::is_const_v<T>, const void, void>;
  return AnyRows<Data>{rows.data, kType, rows.stride, rows.stores, rows.count};
}

// Encode and EncodeRange; with x also EncodeAdd and EncodeAddRange.
Error EncodeRows(const EncoderState* state, const Positions& positions, const AnyRows<void>& out,
                 const AnyRows<const void>* x = nullptr, double x_scale = 0.0) noexcept;
Error EncodePlaneRows(const EncoderState* state, const Positions& positions, const AnyRows<void>& sin,
                      const AnyRows<void>& cos) noexcept;
// A list.
Error RotateRows(const EncoderState* state, const Positions& positions, HeadShape shape, const AnyRows<const void>& x,
                 const AnyRows<void>& out) noexcept;
Error EncodeGridRows(std::span<const Axis> axes, const AnyRows<void>& out) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_CALLS_H_
