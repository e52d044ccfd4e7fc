// Room kernels: angles in turns go in, vectors of sines and cosines in double lanes come out. The evaluation that every
// other value is rotated from; per target.

#if defined(POSENC_SRC_SINCOS_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_SINCOS_INL_H_TOGGLE
#undef POSENC_SRC_SINCOS_INL_H_TOGGLE
#else
#define POSENC_SRC_SINCOS_INL_H_TOGGLE
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "src/grid.h"
#include "src/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

__extension__ using Uint128 = unsigned __int128;

// An angle as a fraction of a turn, modulo 1: 64 bits are enough for values in doubles, 128 for pairs of doubles.
template <bool kPairs>
using Turn = std::conditional_t<kPairs, Uint128, std::uint64_t>;

// The fractions of a turn, as in grid.h, of the kGroup frequencies of a group.
struct GroupFractions {
  const std::uint64_t* limb[3] = {};

  // factor * fraction of frequency k, rounded down by less than 2 units of the last place.
  template <class Angle>
  HWY_INLINE Angle Times(std::uint64_t factor, std::size_t k) const {
    if constexpr (sizeof(Angle) == 16) {
      return (Angle{factor * limb[2][k]} << 64) + Angle{factor} * limb[1][k] + (Angle{factor} * limb[0][k] >> 64);
    } else {
      return factor * limb[2][k] + static_cast<std::uint64_t>(Uint128{factor} * limb[1][k] >> 64);
    }
  }
};

inline GroupFractions FractionsOfGroup(const Fractions& fractions, std::size_t g) {
  return {{fractions.limb[0] + g * kGroup, fractions.limb[1] + g * kGroup, fractions.limb[2] + g * kGroup}};
}

// An angle of each frequency of a group: the nearest multiple of a quarter turn, and what is left in eighths of a turn.
struct GroupAngles {
  HWY_ALIGN_MAX double eighths[kGroup];          // from -1 to 1
  HWY_ALIGN_MAX double eighths_low[kGroup];      // with kPairs: what eighths leaves out
  HWY_ALIGN_MAX std::uint64_t quarters[kGroup];  // in the upper two bits; the others do not count

  // The eighths of a 64-bit angle are rounded to nearest; those of a 128-bit angle are within 2^-103.
  template <class Angle>
  HWY_INLINE void Set(std::size_t k, Angle angle) {
    const std::uint64_t turns = static_cast<std::uint64_t>(angle >> (8 * sizeof(Angle) - 64));
    quarters[k] = turns + (std::uint64_t{1} << 61);
    const std::uint64_t left = turns - (quarters[k] >> 62 << 62);  // two's complement
    if constexpr (sizeof(Angle) == 16) {
      // 51 bits with the sign, then 53 bits: both conversions are exact, and the first is 0 or above the second.
      constexpr std::uint64_t kRest = (std::uint64_t{1} << 11) - 1;
      const double high = static_cast<double>(static_cast<std::int64_t>(left & ~kRest)) * 0x1p-61;
      const std::uint64_t low = static_cast<std::uint64_t>(angle);
      const double rest = static_cast<double>((left & kRest) << 42 | low >> 22) * 0x1p-103;
      eighths[k] = high + rest;
      eighths_low[k] = rest - (eighths[k] - high);
    } else {
      eighths[k] = static_cast<double>(static_cast<std::int64_t>(left)) * 0x1p-61;
    }
  }
};

// A quarter turn more is (sin, cos) -> (cos, -sin). The upper two bits of quarters count.
HWY_INLINE void TurnQuarters(Doubles d, hn::Vec<Bits64> quarters, Vec& sin, Vec& cos) {
  const Bits64 du;
  const auto quarter = hn::Set(du, std::uint64_t{1} << 62);
  const auto sign = hn::Set(du, std::uint64_t{1} << 63);
  const Mask odd = hn::RebindMask(d, hn::TestBit(quarters, quarter));
  const auto s = hn::BitCast(du, hn::IfThenElse(odd, cos, sin));
  const auto c = hn::BitCast(du, hn::IfThenElse(odd, sin, cos));
  sin = hn::BitCast(d, hn::Xor(s, hn::And(quarters, sign)));
  cos = hn::BitCast(d, hn::Xor(c, hn::And(hn::Add(quarters, quarter), sign)));
}

// sin and cos of (quarters + eighths / 2) quarter turns, quarters as in TurnQuarters and |eighths| <= 1 + 2^-18, by
// polynomials in u = eighths: u * (pi/4 + v * S(v)) and 1 + v * C(v), v = u^2, where S and C interpolate at Chebyshev's
// nodes in [0, 1] (tests/constants/sincos_constants.py), with an error of 2^-56.7 and 2^-55.6, their coefficients
// rounded; pi/4 is a sum of two doubles. Where v is above 1 by 2^-17, the nearest node is 2^-7 away and the error grows
// by less than 2^-8 of itself. With the roundings of the last operations either result is within 1.75 u, u = 2^-53
// (1.47 u is the most that kernels_test finds). S and C are summed by pairs of terms (Estrin), 1.05 times as fast as
// one by one for 2 multiplications more: the chain of operations that wait for each other is shorter by a third.
HWY_INLINE void SinCos(Doubles d, Vec eighths, hn::Vec<Bits64> quarters, Vec& sin, Vec& cos) {
  const Vec u = eighths;
  const Vec v = hn::Mul(u, u);
  const Vec v2 = hn::Mul(v, v);
  const Vec v4 = hn::Mul(v2, v2);
  const auto pair = [&](double high, double low)
                        POSENC_INLINE_LAMBDA { return hn::MulAdd(hn::Set(d, high), v, hn::Set(d, low)); };
  Vec s = hn::MulAdd(pair(0x1.e4a9d9166f052p-38, -0x1.e3027dea82bd7p-30), v2,
                     pair(0x1.50783208843ebp-22, -0x1.32d2cce500387p-15));
  s = hn::MulAdd(s, v2, pair(0x1.466bc6775a476p-9, -0x1.4abbce625be52p-4));
  s = hn::MulAdd(s, v, hn::Set(d, 0x1.1a62633145c07p-55));
  s = hn::MulAdd(u, hn::Set(d, 0x1.921fb54442d18p-1), hn::Mul(u, s));
  Vec c = hn::MulAdd(hn::Set(d, -0x1.b2f3eb054afcdp-42), v2, pair(0x1.f9ce245cada0bp-34, -0x1.a6d1eef479be1p-26));
  c = hn::MulAdd(c, v4,
                 hn::MulAdd(pair(0x1.e1f5068688d5bp-19, -0x1.55d3c7e3cb241p-12), v2,
                            pair(0x1.03c1f081b5ac0p-6, -0x1.3bd3cc9be45dep-2)));
  c = hn::MulAdd(c, v, hn::Set(d, 1.0));
  sin = s;
  cos = c;
  TurnQuarters(d, quarters, sin, cos);
}

// The coefficients (pi/4)^n / n! of SinCosPairs with their signs, as sums of two doubles, and the rest to nearest.
struct PairCoefficient {
  double high, low;
};
inline constexpr PairCoefficient kSinPairs[] = {
    {-0x1.6fadb9f155744p-46, 0x1.bab97c50b4cd0p-100}, {0x1.e8f434d018d63p-38, 0x1.94682b2571263p-93},
    {-0x1.e3074fde8871fp-30, -0x1.88ef203b0a336p-84}, {0x1.50783487ee782p-22, -0x1.1be14e6e8854ap-76},
    {-0x1.32d2cce62bd86p-15, 0x1.066847a026e69p-69},  {0x1.466bc6775aae2p-9, -0x1.6dc0cbddb0fc3p-64},
    {-0x1.4abbce625be53p-4, 0x1.05511c68476a8p-58},   {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
inline constexpr double kSinTail[] = {-0x1.5e91aac4928dbp-103, 0x1.859c594ba4573p-93,  -0x1.7215f879e1ac9p-83,
                                      0x1.2877020d52cf0p-73,   -0x1.8a404211f9547p-64, 0x1.aaec32af93359p-55};
inline constexpr PairCoefficient kCosPairs[] = {{0x1.20c62c2f2d7f5p-50, -0x1.5a3cd1a11c7a2p-104},
                                                {-0x1.b6e24f44b128fp-42, -0x1.6de1e0a0c23b9p-97},
                                                {0x1.f9d38a3763cc3p-34, -0x1.c8a14c8bd6bc5p-88},
                                                {-0x1.a6d1f2a204a8cp-26, 0x1.5961232276df6p-80},
                                                {0x1.e1f506891babbp-19, -0x1.7362f495c096dp-76},
                                                {-0x1.55d3c7e3cbffap-12, 0x1.d582920937625p-71},
                                                {0x1.03c1f081b5ac4p-6, -0x1.32b33f87fc145p-60},
                                                {-0x1.3bd3cc9be45dep-2, -0x1.692b71366cc04p-56},
                                                {0x1p+0, 0x0p+0}};
inline constexpr double kCosTail[] = {-0x1.789d662bb5482p-98, 0x1.838d8f4321800p-88, -0x1.52ae4120fde27p-78,
                                      0x1.ef6e308d6d1c4p-69, -0x1.2a0c591af8314p-59};

// tail + sum of pairs, by Horner's rule in v: the tail in doubles, whose roundings are below 2^-107 of the sum, the
// rest in pairs. Each term is below a ninth of the next, so the sums are of a larger and a smaller summand.
template <std::size_t kTailSize, std::size_t kPairsSize>
HWY_INLINE void PairSeries(Doubles d, const double (&tail)[kTailSize], const PairCoefficient (&pairs)[kPairsSize],
                           Vec v, Vec v_low, Vec& sum, Vec& sum_low) {
  Vec rest = hn::Set(d, tail[0]);
  for (std::size_t i = 1; i < kTailSize; ++i) rest = hn::MulAdd(rest, v, hn::Set(d, tail[i]));
  Vec high, low;
  FastTwoSum(hn::Set(d, pairs[0].high), hn::Mul(v, rest), high, low);
  low = hn::Add(low, hn::Set(d, pairs[0].low));
  for (std::size_t i = 1; i < kPairsSize; ++i) {
    Vec product, product_low, error;
    PairProduct(d, v, v_low, high, low, product, product_low);
    FastTwoSum(hn::Set(d, pairs[i].high), product, high, error);
    low = hn::Add(error, hn::Add(product_low, hn::Set(d, pairs[i].low)));
  }
  sum = high;
  sum_low = low;
}

// As SinCos, in pairs: within 2^-101, asserted against MPFR by kernels_test.
HWY_INLINE void SinCosPairs(Doubles d, Vec u, Vec u_low, hn::Vec<Bits64> quarters, Vec& sin, Vec& sin_low, Vec& cos,
                            Vec& cos_low) {
  Vec v, v_low, high, low;
  PairProduct(d, u, u_low, u, u_low, high, low);
  FastTwoSum(high, low, v, v_low);
  PairSeries(d, kSinTail, kSinPairs, v, v_low, high, low);
  Vec product, product_low;
  PairProduct(d, u, u_low, high, low, product, product_low);
  FastTwoSum(product, product_low, sin, sin_low);
  PairSeries(d, kCosTail, kCosPairs, v, v_low, high, low);
  FastTwoSum(high, low, cos, cos_low);
  TurnQuarters(d, quarters, sin, cos);
  TurnQuarters(d, quarters, sin_low, cos_low);
}

// sin and cos of small angles in radians, |x| < 2^-8: x - x^3/6 + x^5/120, 1 - x^2/2 + x^4/24 - x^6/720. The terms left
// out are below 2^-60 of the sine and 2^-79 of the cosine; the sine is within 1.5 u of its own size however small x is.
HWY_INLINE void SmallSinCos(Doubles d, Vec x, Vec& sin, Vec& cos) {
  const Vec v = hn::Mul(x, x);
  const Vec s = hn::MulAdd(v, hn::Set(d, 0x1.1111111111111p-7), hn::Set(d, -0x1.5555555555555p-3));  // 1/120, -1/6
  sin = hn::CopySign(hn::MulAdd(hn::Mul(x, v), s, x), x);                                            // of -0 too
  Vec c = hn::MulAdd(v, hn::Set(d, -0x1.6c16c16c16c17p-10), hn::Set(d, 0x1.5555555555555p-5));       // -1/720, 1/24
  c = hn::MulAdd(v, c, hn::Set(d, -0.5));
  cos = hn::MulAdd(v, c, hn::Set(d, 1.0));
}

// As SmallSinCos for |x| < 2^-20, in pairs: x - x^3/6 + x^5/120 within 2^-92.7 of its own size, 1 - x^2/2 + x^4/24 -
// x^6/720 within 2^-103. The sine's error is that of x^3/6, which is below 2^-42.5 of x: x^2 without its low part is
// off by 3 u, the other operations and the coefficient by 4.25 u.
HWY_INLINE void SmallSinCosPairs(Doubles d, Vec x, Vec x_low, Vec& sin, Vec& sin_low, Vec& cos, Vec& cos_low) {
  Vec v, v_low;
  PairProduct(d, x, x_low, x, x_low, v, v_low);
  const Vec series = hn::MulAdd(v, hn::Set(d, 0x1.1111111111111p-7), hn::Set(d, -0x1.5555555555555p-3));
  FastTwoSum(x, hn::MulAdd(hn::Mul(x, v), series, x_low), sin, sin_low);
  sin = hn::CopySign(sin, x);  // of -0 too
  Vec c = hn::MulAdd(v, hn::Set(d, -0x1.6c16c16c16c17p-10), hn::Set(d, 0x1.5555555555555p-5));
  c = hn::Mul(hn::Mul(v, v), c);
  Vec high, error;
  FastTwoSum(hn::Set(d, 1.0), hn::Mul(v, hn::Set(d, -0.5)), high, error);
  FastTwoSum(high, hn::Add(error, hn::MulAdd(v_low, hn::Set(d, -0.5), c)), cos, cos_low);
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_SINCOS_INL_H_TOGGLE
