// Room repair: a frequency in turns, a position and what to add go in, the correctly rounded element comes out. Integer
// arithmetic only, so neither the rounding mode nor the flush-to-zero mode of the CPU matters.

#include "src/repair.h"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/repair_stage.h"
#include "src/wide.h"

namespace posenc {
namespace {

constexpr std::uint64_t kSignBit = 0x8000000000000000;
constexpr std::uint64_t kDoubleInfinity = InfinityBits(kFormat<double>);

bool IsFinite(double x) noexcept { return (std::bit_cast<std::uint64_t>(x) & ~kSignBit) < kDoubleInfinity; }

// Positive, without a payload.
std::uint64_t QuietNan(Format format) noexcept {
  return InfinityBits(format) | std::uint64_t{1} << (format.digits - 2);
}

// scale * x for a NaN or infinite x, or its opposite: the quiet NaN or an infinity. scale is finite.
std::uint64_t NonFiniteProduct(double scale, double x, bool opposite, Format format) noexcept {
  const std::uint64_t scale_bits = std::bit_cast<std::uint64_t>(scale);
  const std::uint64_t x_bits = std::bit_cast<std::uint64_t>(x);
  if ((x_bits & ~kSignBit) > kDoubleInfinity || (scale_bits & ~kSignBit) == 0) return QuietNan(format);
  return WithSign(InfinityBits(format), ((scale_bits ^ x_bits) >> 63 != 0) != opposite, format);
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

template Wide<kSecondLimbs> SeriesOf(const Wide<kSecondLimbs>& x, int power) noexcept;

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

Wide<3> ExactAngleOf(const Turns& turns, const Position& position, const Phase& phase) noexcept {
  Wide<2> frequency;
  if (phase.exponent > -64 || !DyadicFrequency(turns, &frequency)) return {};
  return Multiply<3>(WideOf(position), frequency);
}

namespace {

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
[[gnu::cold]] std::uint64_t SecondStage(const Turns& turns, const Position& position, const Phase& phase,
                                        const Factors& factors, Format format) noexcept {
  return Stage<kSecondLimbs>(phase, factors, ExactAngleOf(turns, position, phase), format).bits;
}

std::uint64_t Decide(const Turns& turns, const Position& position, const Phase& phase, const Factors& factors,
                     Format format) noexcept {
  const Decision first = Stage<kFirstLimbs>(phase, factors, {}, format);
  return first.certain ? first.bits : SecondStage(turns, position, phase, factors, format);
}

// Of 106 bits each: exact, or so far apart that the smaller one only jams.
std::uint64_t RoundedSum(const Wide<2>& a, const Wide<2>& b, Format format) noexcept {
  return RoundedTo(AddToOdd(Resized<3>(a), Resized<3>(b)), format);
}

}  // namespace

std::uint64_t RepairedBits(const Turns& turns, const Position& position, Wave wave, double amplitude,
                           const Addend* addend, Format format) noexcept {
  if (addend != nullptr && !IsFinite(addend->x)) return NonFiniteProduct(addend->scale, addend->x, false, format);
  Wide<1> factor = WideOf(amplitude);
  const bool zero_angle = position.magnitude == 0 || IsZero(turns);
  if (zero_angle && wave == Wave::kSin) {
    factor.limb[0] = 0;
    factor.negative ^= position.negative != turns.negative;
  }
  const bool exact = zero_angle || IsZero(factor);
  if (exact && !zero_angle) factor.negative ^= ReducedOf(PhaseOf(turns, position), wave).negative;
  if (exact && addend == nullptr) return RoundedTo(factor, format);
  Factors factors;
  if (addend != nullptr) factors.addend = Multiply<2>(WideOf(addend->scale), WideOf(addend->x));
  if (exact) return RoundedSum(factors.addend, Resized<2>(factor), format);
  factors.factor[static_cast<std::size_t>(wave)] = Resized<2>(factor);
  return Decide(turns, position, PhaseOf(turns, position), factors, format);
}

// Certainty: as above. on_cos and on_sin have 106 bits with the amplitude, so the two waves can cancel all but 2^-106
// of themselves, which spends 106 bits of the second stage like an addend does. A tiny angle that is a rational number
// itself can make on_cos + on_sin * angle a tie, or 0: the second stage takes it as the exact head of the sine.
std::uint64_t RepairedRotationBits(const Turns& turns, const Position& position, double amplitude, double on_cos,
                                   double on_sin, Format format) noexcept {
  const bool cos_finite = IsFinite(on_cos), sin_finite = IsFinite(on_sin);
  const Wide<1> exact_amplitude = WideOf(amplitude);
  if (position.magnitude == 0 || IsZero(turns)) {
    if (!cos_finite) return NonFiniteProduct(amplitude, on_cos, false, format);
    return RoundedTo(Multiply<2>(exact_amplitude, WideOf(on_cos)), format);
  }
  const Phase phase = PhaseOf(turns, position);
  const bool cos_opposite = ReducedOf(phase, Wave::kCos).negative, sin_opposite = ReducedOf(phase, Wave::kSin).negative;
  if (!cos_finite || !sin_finite) {
    const std::uint64_t cos_part = NonFiniteProduct(amplitude, on_cos, cos_opposite, format);
    const std::uint64_t sin_part = NonFiniteProduct(amplitude, on_sin, sin_opposite, format);
    if (sin_finite) return cos_part;
    return cos_finite || cos_part == sin_part ? sin_part : QuietNan(format);
  }
  Factors factors;
  Wide<2>& sin_factor = factors.factor[static_cast<std::size_t>(Wave::kSin)];
  Wide<2>& cos_factor = factors.factor[static_cast<std::size_t>(Wave::kCos)];
  sin_factor = Multiply<2>(exact_amplitude, WideOf(on_sin));
  cos_factor = Multiply<2>(exact_amplitude, WideOf(on_cos));
  if (IsZero(cos_factor) && IsZero(sin_factor)) {
    cos_factor.negative ^= cos_opposite;
    sin_factor.negative ^= sin_opposite;
    return RoundedSum(cos_factor, sin_factor, format);
  }
  return Decide(turns, position, phase, factors, format);
}

}  // namespace posenc
