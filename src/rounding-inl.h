// Room store: vectors of values in double lanes go in, the rounding test and the elements of the output type come out;
// per target.
//
// The rounding test. A value v comes with the promise that the exact value y is within eps of it. v lies in a cell: the
// reals with the same leading bits, as many as T keeps. m, the middle of the cell, is the only real between the two
// ends of the cell at which rounding to T changes, and v - m is exact (both are multiples of the last bit of v, and the
// difference is below the size of the cell). If |v - m| > eps, then y and v are on the same side of m and round alike.
// Where v is next to the lower end 2^e of a binade, the middle of the cell below is nearer than half a cell: 2^(e-p-1)
// from v for the p bits of T. If eps >= that, then |v - m| <= 2^(e-p) <= 2 eps. So a limit of 2 eps, or of eps when eps
// is a power of two, lets nothing undecided pass. What does not pass goes to repair.
//
// Doubles come as high + low: v = high, to nearest, is right if high + (low - eps) and high + (low + eps) round alike.

#if defined(POSENC_SRC_ROUNDING_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_ROUNDING_INL_H_TOGGLE
#undef POSENC_SRC_ROUNDING_INL_H_TOGGLE
#else
#define POSENC_SRC_ROUNDING_INL_H_TOGGLE
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "posenc/posenc.h"
#include "src/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What the rounding test and the conversions know of a type: how many fraction bits of a double it drops, its least
// normal value, and a value below which every result is a zero.
template <class T>
struct Precision;
template <>
struct Precision<float> {
  static constexpr int kDropped = 29;
  static constexpr double kNormal = 0x1p-126, kZero = 0x1p-151;
};
template <>
struct Precision<BFloat16> {
  static constexpr int kDropped = 45;
  static constexpr double kNormal = 0x1p-126, kZero = 0x1p-135;
};
template <>
struct Precision<Half> {
  static constexpr int kDropped = 42;
  static constexpr double kNormal = 0x1p-14, kZero = 0x1p-26;
};
template <>
struct Precision<double> {
  static constexpr double kNormal = 0x1p-900, kZero = 0.0;  // below 2^-900 low parts lose bits
};

// eps of values of amplitude 1, a power of two. Double lanes: the sum of 12.5 u derived in recurrence-inl.h is below
// 2^-49. Pairs of doubles: the like sum is below 2^-98.
template <class T>
inline constexpr double kEps = std::is_same_v<T, double> ? 0x1p-97 : 0x1p-49;

// v - m, for every T but double.
template <class T>
HWY_INLINE Vec FromMiddleOfCell(Doubles d, Vec v) {
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << (Precision<T>::kDropped - 1);
  constexpr std::uint64_t kKept = ~((std::uint64_t{1} << Precision<T>::kDropped) - 1);
  const Bits64 du;
  const Vec middle = hn::OrAnd(hn::BitCast(d, hn::Set(du, kMiddle)), v, hn::BitCast(d, hn::Set(du, kKept)));
  return hn::Sub(v, middle);
}
// |v - m|.
template <class T>
HWY_INLINE Vec FromMiddle(Doubles d, Vec v) {
  if constexpr (std::is_same_v<T, Half>) {
    // Subnormal results have the spacing of the binade above, which adding 2^-14 moves |v| into. The sum is off by
    // 2^-67 at most, and so is the distance. Near 0 the sign of the result changes: that counts as a middle too, except
    // for 0 itself, which is exact.
    const Vec size = hn::Abs(v);
    const Vec least = hn::Set(d, Precision<Half>::kNormal);
    v = hn::IfThenElse(hn::Lt(size, least), hn::Add(size, least), v);
    const Vec distance = hn::Sub(hn::Abs(FromMiddleOfCell<Half>(d, v)), hn::Set(d, 0x1p-67));
    const Vec from_zero = hn::Add(size, hn::Set(d, 0x1p-1000));
    return hn::IfThenElse(hn::Lt(from_zero, distance), from_zero, distance);  // not Min, which may lose a NaN
  } else {
    return hn::Abs(FromMiddleOfCell<T>(d, v));
  }
}

// The test of one vector: its distance from the middle, or for doubles the bits in which the two roundings differ.
template <class T>
HWY_INLINE Vec Test(Doubles d, Vec high, HWY_MAYBE_UNUSED Vec low, HWY_MAYBE_UNUSED Vec eps) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::Xor(hn::Add(high, hn::Add(low, eps)), hn::Add(high, hn::Sub(low, eps)));
  } else {
    return FromMiddle<T>(d, high);
  }
}

template <class T>
HWY_INLINE Mask Undecided(HWY_MAYBE_UNUSED Doubles d, Vec tested, HWY_MAYBE_UNUSED Vec eps) {
  if constexpr (std::is_same_v<T, double>) {
    const hn::RebindToSigned<Doubles> di;
    return hn::RebindMask(d, hn::Ne(hn::BitCast(di, tested), hn::Zero(di)));
  } else {
    return hn::Not(hn::Gt(tested, eps));  // NaN is undecided too
  }
}

// Tests of a block in one, which Undecided judges: it is if one of them is. Not for NaN, of which Min is no judge.
template <class T>
HWY_INLINE Vec NoTest(Doubles d) {
  return hn::Set(d, std::is_same_v<T, double> ? 0.0 : 0x1p1023);
}
// Adds a vector to those tested. More is left open than by Test, for fewer operations: subnormal Halfs, which the
// second pass over a block tests as above.
template <class T>
HWY_INLINE Vec AddTest(Doubles d, Vec tested, Vec high, Vec low, Vec eps) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::Or(tested, Test<T>(d, high, low, eps));
  } else if constexpr (std::is_same_v<T, Half>) {
    const Vec size = hn::Mul(hn::Abs(high), hn::Mul(eps, hn::Set(d, 1.0 / Precision<Half>::kNormal)));
    return hn::Min(tested, hn::Min(hn::Abs(FromMiddleOfCell<Half>(d, high)), size));
  } else {
    return SmallerSize(tested, FromMiddleOfCell<T>(d, high));
  }
}

// The lanes whose rounding is certain, with a limit for each lane. Leaves more open than the test above: subnormal
// Halfs, doubles near the end of their range, and what is not finite.
template <class T>
HWY_INLINE Mask Decided(Doubles d, Vec high, Vec low, Vec limit) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::And(hn::Eq(hn::Add(high, hn::Add(low, limit)), hn::Add(high, hn::Sub(low, limit))),
                   hn::Lt(hn::Abs(high), hn::Set(d, 0x1p1000)));
  } else {
    const Mask decided = hn::Gt(hn::Abs(FromMiddleOfCell<T>(d, high)), limit);
    if constexpr (!std::is_same_v<T, Half>) return decided;
    return hn::And(decided, hn::Gt(hn::Abs(high), hn::Set(d, Precision<Half>::kNormal)));
  }
}

// v rounded to floats as IEEE 754 has it.
HWY_INLINE hn::Vec<Floats> ToFloats(Doubles d, Vec v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  // DemoteTo of these targets gives the largest float where an infinity is right.
  double from[hn::MaxLanes(Doubles())];
  float to[hn::MaxLanes(Doubles())];
  hn::StoreU(v, d, from);
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) to[lane] = static_cast<float>(from[lane]);
  return hn::LoadU(Floats(), to);
#else
  static_cast<void>(d);
  return hn::DemoteTo(Floats(), v);
#endif
}

// The bits of floats rounded to a 16-bit T: 16 bits in each lane. Not for floats on a middle of T. (Highway's
// conversions to 16 bits truncate or differ between targets and releases, but for float16_t where the CPU has it.)
template <class T, class DW>
HWY_INLINE hn::Vec<DW> RoundBits(DW dw, hn::Vec<DW> bits) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    return hn::ShiftRight<16>(hn::Add(bits, hn::Set(dw, 0x8000u)));
  } else {
    const hn::Rebind<float, DW> df;
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(dw, 0x8000u));
    const auto size = hn::And(bits, hn::Set(dw, 0x7FFFFFFFu));
    // From 2^-14 up: move the exponent bias from 127 to 15 and round. Below: 0.5 has the spacing 2^-24 of the
    // subnormals, so the addition rounds.
    const auto normal = hn::ShiftRight<13>(hn::Sub(hn::Add(size, hn::Set(dw, 0x1000u)), hn::Set(dw, 112u << 23)));
    const auto small =
        hn::Sub(hn::BitCast(dw, hn::Add(hn::BitCast(df, size), hn::Set(df, 0.5f))), hn::Set(dw, 0x3F000000u));
    const auto is_small = hn::Lt(size, hn::Set(dw, 113u << 23));
    // 65520 and above round to infinity; 65520 itself is a middle.
    const auto is_infinite = hn::Gt(size, hn::Set(dw, 0x477FF000u));
    return hn::Or(sign, hn::IfThenElse(is_infinite, hn::Set(dw, 0x7C00u), hn::IfThenElse(is_small, small, normal)));
  }
}

// Keeps 22 fraction bits of v and sets the last, whatever the others were: as a float it is exact, on the same side of
// every middle of a 16-bit type as v, and on none.
HWY_INLINE Vec MakeOdd(Doubles d, Vec v) {
  const Bits64 du;
  const auto kept = hn::And(hn::BitCast(du, v), hn::Set(du, ~((std::uint64_t{1} << 30) - 1)));
  return hn::BitCast(d, hn::Or(kept, hn::Set(du, std::uint64_t{1} << 29)));
}

// v rounded to T: a float, or 16 bits in a 32-bit lane. Only for v that passed the test, or whose lanes are repaired
// afterwards.
template <class T>
HWY_INLINE auto Narrow(Doubles d, Vec v) {
  const Bits32 dw;
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else if constexpr (std::is_same_v<T, float>) {
    return hn::BitCast(dw, ToFloats(d, v));
  } else {
    return RoundBits<T>(dw, hn::BitCast(dw, ToFloats(d, MakeOdd(d, v))));
  }
}

// The exact value of narrow elements, as Narrow returns them.
template <class T, class V>
HWY_INLINE Vec Widen(Doubles d, V bits) {
  const Bits32 dw;
  const Floats df;
  if constexpr (std::is_same_v<T, double>) {
    return bits;
  } else if constexpr (std::is_same_v<T, float>) {
    return hn::PromoteTo(d, hn::BitCast(df, bits));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return hn::PromoteTo(d, hn::BitCast(df, hn::ShiftLeft<16>(bits)));
  } else {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, Doubles> dh;
    return hn::PromoteTo(d, hn::PromoteTo(df, hn::BitCast(dh, hn::TruncateTo(Bits16(), bits))));
#else
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(dw, 0x8000u)));
    const auto size = hn::ShiftLeft<13>(hn::And(bits, hn::Set(dw, 0x7FFFu)));
    // The product moves the exponent bias from 15 to 127, exactly, for subnormals too.
    const auto finite = hn::BitCast(dw, hn::Mul(hn::BitCast(df, size), hn::Set(df, 0x1p112f)));
    const auto special = hn::Or(size, hn::Set(dw, 0x7F800000u));
    const auto is_special = hn::Gt(size, hn::Set(dw, (0x7C00u << 13) - 1));
    return hn::PromoteTo(d, hn::BitCast(df, hn::Or(sign, hn::IfThenElse(is_special, special, finite))));
#endif
  }
}

// The exact value of an element.
inline double ExactValue(float x) { return x; }
inline double ExactValue(double x) { return x; }
inline double ExactValue(BFloat16 x) {
  float value;
  const std::uint32_t bits = std::uint32_t{x.bits} << 16;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline double ExactValue(Half x) {
  const std::uint64_t exponent = x.bits >> 10 & 31u, fraction = x.bits & 1023u;
  std::uint64_t bits = std::uint64_t{x.bits} >> 15 << 63;
  double value;
  if (exponent == 0) {
    value = static_cast<double>(fraction) * 0x1p-24;
    return bits != 0 ? -value : value;
  }
  bits |= (exponent == 31 ? 2047 : exponent - 15 + 1023) << 52 | fraction << 42;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_ROUNDING_INL_H_TOGGLE
