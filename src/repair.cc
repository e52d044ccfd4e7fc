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

// scale * x for a NaN or infinite x: the quiet NaN that is positive and has no payload, or an infinity. scale is
// finite.
template <class T>
T NonFiniteProduct(const Addend& addend) noexcept {
  const std::uint64_t scale = std::bit_cast<std::uint64_t>(addend.scale);
  const std::uint64_t x = std::bit_cast<std::uint64_t>(addend.x);
  constexpr std::uint64_t kInfinity = InfinityBits(kFormat<T>);
  if ((x & ~kSignBit) > kDoubleInfinity || (scale & ~kSignBit) == 0) {
    return FromBits<T>(kInfinity | std::uint64_t{1} << (kFormat<T>.digits - 2), false);
  }
  return FromBits<T>(kInfinity, ((scale ^ x) & kSignBit) != 0);
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
    if ((std::bit_cast<std::uint64_t>(addend->x) & ~kSignBit) >= kDoubleInfinity) return NonFiniteProduct<T>(*addend);
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

template float Repair(const Turns&, const Position&, Wave, double, const Addend*) noexcept;
template double Repair(const Turns&, const Position&, Wave, double, const Addend*) noexcept;
template Half Repair(const Turns&, const Position&, Wave, double, const Addend*) noexcept;
template BFloat16 Repair(const Turns&, const Position&, Wave, double, const Addend*) noexcept;

}  // namespace posenc
