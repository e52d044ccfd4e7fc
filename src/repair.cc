// Room repair: a frequency in turns, a position and what to add go in, the correctly rounded element comes out. Integer
// arithmetic only, so neither the rounding mode nor the flush-to-zero mode of the CPU matters.

#include "src/repair.h"

#include <bit>
#include <cstdint>

#include "src/repair_stage.h"
#include "src/wide.h"

namespace posenc {
namespace {

constexpr std::uint64_t kSignBit = 0x8000000000000000;
constexpr std::uint64_t kDoubleInfinity = InfinityBits(kFormat<double>);

bool IsFinite(double x) noexcept { return (std::bit_cast<std::uint64_t>(x) & ~kSignBit) < kDoubleInfinity; }

// Positive, without a payload.
template <class T>
T QuietNan() noexcept {
  return FromBits<T>(InfinityBits(kFormat<T>) | std::uint64_t{1} << (kFormat<T>.digits - 2), false);
}

// scale * x for a NaN or infinite x: the quiet NaN or an infinity. scale is finite.
template <class T>
T NonFiniteProduct(const Addend& addend) noexcept {
  const std::uint64_t scale = std::bit_cast<std::uint64_t>(addend.scale);
  const std::uint64_t x = std::bit_cast<std::uint64_t>(addend.x);
  if ((x & ~kSignBit) > kDoubleInfinity || (scale & ~kSignBit) == 0) return QuietNan<T>();
  return FromBits<T>(InfinityBits(kFormat<T>), ((scale ^ x) & kSignBit) != 0);
}

// The same times a wave, which is not 0.
template <class T>
T NonFiniteWave(Addend addend, const Reduced& wave) noexcept {
  if (wave.negative) addend.x = -addend.x;
  return NonFiniteProduct<T>(addend);
}

Wide<1> WideOf(const Position& position) noexcept {
  const std::uint64_t magnitude[1] = {position.magnitude};
  return Normalized<1>(magnitude, position.exponent + 64, position.negative);
}

// frequency = 2 pi * turns when that is a number of 106 bits, as every inv_freq[k] * position_scale is. Another
// frequency is within 2^-318 of such a number with a probability of 2^-210.
bool DyadicFrequency(const Turns& turns, Wide<2>* frequency) noexcept {
  const Turns product = Multiply<kTurnsLimbs>(turns, kTwoPi);
  std::uint64_t limb[kTurnsLimbs + 1] = {};
  for (int i = 0; i < kTurnsLimbs; ++i) limb[i] = product.limb[i];
  // The error, below 2^-329 of it, may have borrowed from the 106 bits; 2^-319 more brings them back.
  const std::uint64_t margin[kTurnsLimbs + 1] = {0, 1};
  AddLimbs(limb, margin);
  const Turns rounded = Normalized<kTurnsLimbs>(limb, product.exponent + 64, product.negative);
  *frequency = Resized<2>(rounded);
  return rounded.limb[1] <= 2 && rounded.limb[2] == 0 && rounded.limb[3] == 0 && rounded.limb[4] << 42 == 0;
}

}  // namespace

Phase PhaseOf(const Turns& turns, const Position& position) noexcept {
  const Wide<7> product = Multiply<7>(WideOf(position), turns);
  Phase phase;
  phase.negative = product.negative;
  phase.exponent = product.exponent;
  if (product.exponent <= -3) {  // below an eighth
    phase.rest = Resized<8>(product);
    phase.rest.negative = false;
    return phase;
  }
  // A fraction of a turn in 512 bits: the shift is 62 to 190, so no bit of the fraction is lost, and the integer part
  // goes off at the top.
  std::uint64_t fraction[8] = {};
  for (int i = 0; i < 7; ++i) fraction[i] = product.limb[i];
  ShiftLeft(fraction, 64 + product.exponent);
  const std::uint64_t quarters = (fraction[7] + 0x2000000000000000) >> 62;  // nearest; 4 wrapped to 0
  fraction[7] -= quarters << 62;
  phase.quadrant = static_cast<int>(quarters);
  const bool below = fraction[7] >> 63 != 0;
  if (below) NegateLimbs(fraction);
  phase.rest = Normalized<8>(fraction, 0, below);
  return phase;
}

bool ExactAngleOf(const Turns& turns, const Position& position, const Phase& phase, Wave wave,
                  Wide<3>* angle) noexcept {
  Wide<2> frequency;
  if (wave != Wave::kSin || phase.exponent > -64 || !DyadicFrequency(turns, &frequency)) return false;
  *angle = Multiply<3>(WideOf(position), frequency);
  return true;
}

// Certainty. A nonzero angle is algebraic, so sine and cosine of it are transcendental (Lindemann) and so is the
// element: it is never a tie and never exact, and enough digits decide. The part of the element that is not exact is
// known in the first stage (128 bits) to 2^-121 of itself and in the second (384 bits) to 2^-322; the error of turns
// adds an absolute 2^-323 where |position * turns| is 1, and 2^-198 where it is 2^125, the limit. An element without
// addend lies undecidably close to a boundary of T with a probability of about 2^(digits + 1) times that: 2^-67 for a
// double in the first stage (a limb more makes it half as slow again), below 2^-140 in the second. An addend of 106
// bits chosen for it can cancel all but 2^-106 of the element and so spend 106 bits; the second stage fails then with a
// probability of 2^-160, or 2^-38 for the largest angles. A tiny angle that is a rational number itself is the one case
// in which an addend can cancel more, -x of sin x: there the second stage takes the angle as the exact head of the
// sine.
//
// Should even the second stage be undecided, the element is the rounding of its 384-bit value: the same on every CPU,
// and off by one unit of the last place at most, with the exact value almost halfway.
template <class T>
T Repair(const Turns& turns, const Position& position, Wave wave, double amplitude, const Addend* addend) noexcept {
  const Wide<1> exact_amplitude = WideOf(amplitude);
  Wide<2> product;
  if (addend != nullptr) {
    if (!IsFinite(addend->x)) return NonFiniteProduct<T>(*addend);
    product = Multiply<2>(WideOf(addend->scale), WideOf(addend->x));
  }
  const Wide<2>* const exact_addend = addend != nullptr ? &product : nullptr;

  const bool zero_angle = position.magnitude == 0 || IsZero(turns);
  Phase phase;
  if (!zero_angle) phase = PhaseOf(turns, position);
  if (zero_angle || IsZero(exact_amplitude)) {
    // Exact: amplitude, or a zero with the sign of amplitude * wave.
    Wide<3> element = Resized<3>(exact_amplitude);
    if (zero_angle && wave == Wave::kSin) {
      element = {};
      element.negative = exact_amplitude.negative != (position.negative != turns.negative);
    } else if (!zero_angle) {
      element.negative = exact_amplitude.negative != ReducedOf(phase, wave).negative;
    }
    return RoundedTo<T>(addend != nullptr ? AddToOdd(Resized<3>(product), element) : element);
  }
  const Decision<T> first = RepairStage<T, kFirstLimbs>(phase, wave, exact_amplitude, exact_addend, nullptr);
  if (first.certain) return first.value;
  Wide<3> angle;
  const bool exact_angle = ExactAngleOf(turns, position, phase, wave, &angle);
  return RepairStage<T, kSecondLimbs>(phase, wave, exact_amplitude, exact_addend, exact_angle ? &angle : nullptr).value;
}

// Certainty: as above. on_cos and on_sin have 106 bits with the amplitude, so the two waves can cancel all but 2^-106
// of themselves, which spends 106 bits of the second stage like an addend does. A tiny angle that is a rational number
// itself can make on_cos + on_sin * angle a tie, or 0: the second stage takes it as the exact head of the sine.
template <class T>
T RepairRotation(const Turns& turns, const Position& position, double amplitude, double on_cos,
                 double on_sin) noexcept {
  const Addend cos_term{amplitude, on_cos}, sin_term{amplitude, on_sin};
  const Wide<1> exact_amplitude = WideOf(amplitude);
  if (position.magnitude == 0 || IsZero(turns)) {
    if (!IsFinite(on_cos)) return NonFiniteProduct<T>(cos_term);
    return RoundedTo<T>(Multiply<2>(exact_amplitude, WideOf(on_cos)));
  }
  const Phase phase = PhaseOf(turns, position);
  if (!IsFinite(on_cos) || !IsFinite(on_sin)) {
    const T cos_part = NonFiniteWave<T>(cos_term, ReducedOf(phase, Wave::kCos));
    const T sin_part = NonFiniteWave<T>(sin_term, ReducedOf(phase, Wave::kSin));
    if (IsFinite(on_sin)) return cos_part;
    if (IsFinite(on_cos)) return sin_part;
    const bool same = std::bit_cast<BitsOf<T>>(cos_part) == std::bit_cast<BitsOf<T>>(sin_part);
    return same ? cos_part : QuietNan<T>();
  }
  Wide<2> cos_factor = Multiply<2>(exact_amplitude, WideOf(on_cos));
  Wide<2> sin_factor = Multiply<2>(exact_amplitude, WideOf(on_sin));
  if (IsZero(cos_factor) && IsZero(sin_factor)) {
    cos_factor.negative ^= ReducedOf(phase, Wave::kCos).negative;
    sin_factor.negative ^= ReducedOf(phase, Wave::kSin).negative;
    return RoundedTo<T>(AddToOdd(cos_factor, sin_factor));
  }
  const Decision<T> first = RotationStage<T, kFirstLimbs>(phase, cos_factor, sin_factor, nullptr);
  if (first.certain) return first.value;
  Wide<3> angle;
  const bool exact_angle = ExactAngleOf(turns, position, phase, Wave::kSin, &angle);
  return RotationStage<T, kSecondLimbs>(phase, cos_factor, sin_factor, exact_angle ? &angle : nullptr).value;
}

#define POSENC_INSTANTIATE_REPAIR(T)                                                      \
  template T Repair(const Turns&, const Position&, Wave, double, const Addend*) noexcept; \
  template T RepairRotation(const Turns&, const Position&, double, double, double) noexcept;

POSENC_INSTANTIATE_REPAIR(float)
POSENC_INSTANTIATE_REPAIR(double)
POSENC_INSTANTIATE_REPAIR(Half)
POSENC_INSTANTIATE_REPAIR(BFloat16)

}  // namespace posenc
