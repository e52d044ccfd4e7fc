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

#if HWY_TARGET != HWY_SCALAR
using VecBits64 = hn::Vec<Bits64>;

// The products of the lower halves of 64-bit lanes.
HWY_INLINE VecBits64 LowProduct(VecBits64 a, VecBits64 b) {
  const hn::Repartition<std::uint32_t, Bits64> dw;
  return hn::MulEven(hn::BitCast(dw, a), hn::BitCast(dw, b));
}

// factor * fraction of the frequencies from k on, modulo a turn: as GroupFractions::Times, of 64 bits, rounded down by
// less than 4 units of the last place. kWide: factor >= 2^32.
template <bool kWide>
HWY_INLINE VecBits64 TimesFraction(std::uint64_t factor, const GroupFractions& fractions, std::size_t k) {
  const Bits64 du;
  const VecBits64 low = hn::Set(du, factor), high = hn::Set(du, factor >> 32);
  const VecBits64 upper = hn::Load(du, fractions.limb[2] + k), lower = hn::Load(du, fractions.limb[1] + k);
  VecBits64 middle = LowProduct(low, hn::ShiftRight<32>(upper));
  VecBits64 carried = hn::ShiftRight<32>(LowProduct(low, hn::ShiftRight<32>(lower)));
  if constexpr (kWide) {
    middle = hn::Add(middle, LowProduct(high, upper));
    carried = hn::Add(carried, hn::ShiftRight<32>(LowProduct(high, lower)));
    carried = hn::Add(carried, LowProduct(high, hn::ShiftRight<32>(lower)));
  }
  return hn::Add(hn::Add(LowProduct(low, upper), hn::ShiftLeft<32>(middle)), carried);
}

// As the scalar AnglesOf, several frequencies at a time.
HWY_INLINE void SplitAngles(const FrequencyGrid& grid, const ListPosition& position, std::size_t g,
                            GroupAngles& angles) {
  const Doubles d;
  const Bits64 du;
  const hn::RebindToSigned<Doubles> di;
  const GroupFractions whole = FractionsOfGroup(grid.whole, g);
  const GroupFractions part = FractionsOfGroup(grid.part, g);
  const std::size_t end = std::min(kGroup, grid.shape.sines - g * kGroup);
  const VecBits64 sign = hn::Set(du, position.exact.negative ? ~std::uint64_t{0} : 0);
  const bool wide = position.integer >> 32 != 0;
  for (std::size_t k = 0; k < end; k += hn::Lanes(d)) {
    VecBits64 turns =
        wide ? TimesFraction<true>(position.integer, whole, k) : TimesFraction<false>(position.integer, whole, k);
    if (position.fraction != 0) turns = hn::Add(turns, TimesFraction<true>(position.fraction, part, k));
    turns = hn::Sub(hn::Xor(turns, sign), sign);
    const VecBits64 nearest = hn::ShiftRight<62>(hn::Add(turns, hn::Set(du, std::uint64_t{1} << 61)));
    const auto left = hn::BitCast(di, hn::Sub(turns, hn::ShiftLeft<62>(nearest)));
    hn::Store(nearest, du, angles.quarters + k);
    hn::Store(hn::Mul(hn::ConvertTo(d, left), hn::Set(d, 0x1p-61)), d, angles.eighths + k);
  }
}
#endif

template <bool kPairs>
HWY_INLINE void AnglesOf(const FrequencyGrid& grid, const ListPosition& position, std::size_t g, GroupAngles& angles) {
  using Angle = Turn<kPairs>;
  const bool negative = position.exact.negative;
  if (position.is_split) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (!kPairs) return SplitAngles(grid, position, g, angles);
#endif
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

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_ANGLES_INL_H_TOGGLE
