// Room kernels: a position of a list goes in, its angles at the frequencies of a group come out, reduced; per target.

#if defined(POSENC_SRC_ANGLES_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_ANGLES_INL_H_TOGGLE
#undef POSENC_SRC_ANGLES_INL_H_TOGGLE
#else
#define POSENC_SRC_ANGLES_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/sincos-inl.h"
#include "src/turns.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using VecBits64 = hn::Vec<Bits64>;

// factor * fraction of the frequencies from k on, modulo a turn: as GroupFractions::Times, of 64 bits, rounded down by
// less than 4 units of the last place. factor_high: factor >> 32.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE VecBits64 TimesFraction(VecBits64 factor, VecBits64 /*factor_high*/, const GroupFractions& fractions,
                                   std::size_t k) {
  return hn::Set(Bits64(), fractions.Times<std::uint64_t>(hn::GetLane(factor), k));
}
#else
// The products of the lower halves of 64-bit lanes.
HWY_INLINE VecBits64 LowProduct(VecBits64 a, VecBits64 b) {
  const hn::Repartition<std::uint32_t, Bits64> dw;
  return hn::MulEven(hn::BitCast(dw, a), hn::BitCast(dw, b));
}

HWY_INLINE VecBits64 TimesFraction(VecBits64 factor, VecBits64 factor_high, const GroupFractions& fractions,
                                   std::size_t k) {
  const Bits64 du;
  const VecBits64 upper = hn::Load(du, fractions.limb[2] + k), lower = hn::Load(du, fractions.limb[1] + k);
  const VecBits64 lower_high = hn::ShiftRight<32>(lower);
  VecBits64 carried = LowProduct(factor_high, lower_high);
  carried = hn::Add(carried, hn::ShiftRight<32>(LowProduct(factor, lower_high)));
  carried = hn::Add(carried, hn::ShiftRight<32>(LowProduct(factor_high, lower)));
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return hn::Add(hn::Mul(factor, upper), carried);
#else
  const VecBits64 middle = hn::Add(LowProduct(factor, hn::ShiftRight<32>(upper)), LowProduct(factor_high, upper));
  return hn::Add(hn::Add(LowProduct(factor, upper), hn::ShiftLeft<32>(middle)), carried);
#endif
}
#endif

// Turns as GroupAngles has them, negated where negative is all ones (short of a unit of the last place).
HWY_INLINE void ReduceTurns(Doubles d, VecBits64 turns, VecBits64 negative, Vec& eighths, VecBits64& quarters) {
  const Bits64 du;
  const hn::RebindToSigned<Doubles> di;
  turns = hn::Xor(turns, negative);
  quarters = hn::Add(turns, hn::Set(du, std::uint64_t{1} << 61));
  // Without the quarters the rest is signed.
  eighths = hn::Mul(hn::ConvertTo(d, hn::BitCast(di, hn::ShiftLeft<2>(turns))), hn::Set(d, 0x1p-63));
}

// Calls visit(k, eighths, quarters) for the angles of the frequencies k = begin, .. below end, a vector at a time, at a
// position that is split; a fraction is read if kFraction.
template <bool kFraction, class Visit>
HWY_INLINE void ForSplitAngles(Doubles d, const FrequencyGrid& grid, const ListPosition& position, std::size_t begin,
                               std::size_t end, const Visit& visit) {
  const Bits64 du;
  const VecBits64 integer = hn::Set(du, position.integer), integer_high = hn::Set(du, position.integer >> 32);
  const VecBits64 fraction = hn::Set(du, position.fraction), fraction_high = hn::Set(du, position.fraction >> 32);
  const VecBits64 negative = hn::Set(du, 0 - std::uint64_t{position.exact.negative});
  const GroupFractions whole = FractionsOfGroup(grid.whole, 0), part = FractionsOfGroup(grid.part, 0);
  for (std::size_t k = begin; k < end; k += hn::Lanes(d)) {
    VecBits64 turns = TimesFraction(integer, integer_high, whole, k), quarters;
    if (kFraction) turns = hn::Add(turns, TimesFraction(fraction, fraction_high, part, k));
    Vec eighths;
    ReduceTurns(d, turns, negative, eighths, quarters);
    visit(k, eighths, quarters);
  }
}

#if HWY_NATIVE_FMA
// Below this many radians, 2^30 turns, doubles are enough for the angles of a position that is one: 1.07 times as fast
// as integers with vectors of 512 bits, 1.2 times with 256, and fractions cost nothing.
inline constexpr double kDoublesRadians = 0x1p32;

// The same of such a position: the angles are rounded to nearest but for 2^-54, and beyond 1 by less than 2^-18.
// position * eighths is h + e exactly, h below 2^33; the even number nearest to h is two for each quarter, and h minus
// that is exact; e and what eighths leaves out are below 2^-19.
template <class Visit>
HWY_INLINE void ForDoubleAngles(Doubles d, const FrequencyGrid& grid, double position, std::size_t begin,
                                std::size_t end, const Visit& visit) {
  // In [2^53, 2^54) doubles are the even numbers, and half of what is added to 3 * 2^52 are the last bits.
  const Vec even = hn::Set(d, 0x1.8p53);
  const Vec p = hn::Set(d, position);
  const double* HWY_RESTRICT units = grid.eighths;
  const double* HWY_RESTRICT units_low = grid.eighths_low;
  for (std::size_t k = begin; k < end; k += hn::Lanes(d)) {
    const Vec unit = hn::Load(d, units + k);
    const Vec h = hn::Mul(p, unit);
    const Vec rounded = hn::Add(h, even);
    const Vec rest = hn::Sub(h, hn::Sub(rounded, even));
    const Vec error = hn::MulAdd(p, hn::Load(d, units_low + k), hn::MulSub(p, unit, h));
    visit(k, hn::Add(rest, error), hn::ShiftLeft<62>(hn::BitCast(Bits64(), rounded)));
  }
}
#endif

template <bool kPairs>
HWY_INLINE void AnglesOf(const FrequencyGrid& grid, const ListPosition& position, std::size_t g, GroupAngles& angles) {
  using Angle = Turn<kPairs>;
  const bool negative = position.exact.negative;
  if (position.is_split) {
    if constexpr (!kPairs) {
      const Doubles d;
      ForSplitAngles<true>(d, grid, position, g * kGroup, (g + 1) * kGroup,
                           [&](std::size_t k, Vec eighths, VecBits64 quarters) POSENC_INLINE_LAMBDA {
                             hn::Store(eighths, d, angles.eighths + (k - g * kGroup));
                             hn::Store(quarters, Bits64(), angles.quarters + (k - g * kGroup));
                           });
      return;
    }
    const GroupFractions whole = FractionsOfGroup(grid.whole, g);
    const GroupFractions part = FractionsOfGroup(grid.part, g);
    for (std::size_t k = 0; k < kGroup; ++k) {
      Angle angle = whole.Times<Angle>(position.integer, k);
      if (position.fraction != 0) angle += part.Times<Angle>(position.fraction, k);
      angles.Set(k, negative ? 0 - angle : angle);
    }
    return;
  }
  // Bits below 2^-64, and an angle that is not small: a frequency far above 1.
  HWY_ALIGN_MAX std::uint64_t limbs[3][kGroup] = {};
  const std::size_t end = std::min(kGroup, grid.shape.sines - g * kGroup);
  for (std::size_t k = 0; k < end; ++k) {
    std::uint64_t fraction[3];
    FractionOf(grid.turns[g * kGroup + k], position.exact.exponent, fraction);
    for (int i = 0; i < 3; ++i) limbs[i][k] = fraction[i];
  }
  const GroupFractions unit{{limbs[0], limbs[1], limbs[2]}};
  for (std::size_t k = 0; k < kGroup; ++k) {
    const Angle angle = unit.Times<Angle>(position.exact.magnitude, k);
    angles.Set(k, negative ? 0 - angle : angle);
  }
}

// The sines and cosines of a group's angles times the amplitude, as normalised pairs of doubles.
inline HWY_NOINLINE void PairWaves(const GroupAngles& angles, double amplitude, double* HWY_RESTRICT sin,
                                   double* HWY_RESTRICT sin_low, double* HWY_RESTRICT cos,
                                   double* HWY_RESTRICT cos_low) {
  const Doubles d;
  const Vec scale = hn::Set(d, amplitude);
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
    Vec s, s_low, c, c_low;
    SinCosPairs(d, hn::Load(d, angles.eighths + k), hn::Load(d, angles.eighths_low + k),
                hn::Load(Bits64(), angles.quarters + k), s, s_low, c, c_low);
    ScalePair(d, scale, s, s_low);
    ScalePair(d, scale, c, c_low);
    hn::Store(s, d, sin + k);
    hn::Store(s_low, d, sin_low + k);
    hn::Store(c, d, cos + k);
    hn::Store(c_low, d, cos_low + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_ANGLES_INL_H_TOGGLE
