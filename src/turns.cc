// Room turns: a Spec goes in, its frequencies in turns come out. Integers only: libm gives the first digits of a root,
// and no result depends on their being right.

#include "src/turns.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/spec.h"
#include "src/wide.h"

namespace posenc {
namespace {

// One truncated product of 6 limbs is low by a relative error below kStep = 2^-383.
//
// The bound of turns.h. Let m be the degree of the root and j the power of the base, r = base^(-j/m), and let the
// computed r have the residual |r^m base^j - 1| <= R = 2^-340 as measured. Binary powering costs at most 2m steps of
// relative error, the last product one, the subtraction from 1 one unit, so the true residual is below
// 2^-340 + (2m + 3) 2^-383 < 2^-339.9, because m <= 2^26. Then (1 + d)^m = 1 + residual gives the relative error
// |d| < 2^-339.8 / m of r. Frequency k is scale * r^k, with k / m <= j k / m <= 2 (a Spec has no exponent beyond
// base^-2), so k factors r and k products add up to less than 2 * 2^-339.8 + 2^26 * 2^-383 < 2^-338. The constant
// 1/(2 pi) and its product add two steps: 2^-337.9, below the 2^-330 of turns.h. inv_freq[k] * position_scale has 106
// bits and is exact.
constexpr std::int32_t kResidualExponent = -340;

// Newton's method squares the residual. libm's seed leaves at most 2^-27 (|log2 base^-j| <= 2148 with 53 bits, and m
// units of 2^-53), so the fifth residual is below 2^-340; twice as many steps mean that it failed.
constexpr int kNewtonSteps = 10;

Wide<kTurnsLimbs> One() noexcept { return Resized<kTurnsLimbs>(WideOf(1.0)); }

// x^n, n >= 1, by squaring from the highest bit of n.
Turns Power(const Turns& x, std::uint64_t n) noexcept {
  Turns result = x;
  for (int bit = static_cast<int>(std::bit_width(n)) - 2; bit >= 0; --bit) {
    result = Multiply<kTurnsLimbs>(result, result);
    if ((n >> bit & 1) != 0) result = Multiply<kTurnsLimbs>(result, x);
  }
  return result;
}

// About base^(-j/m), as libm sees it. The exponent of base is taken apart first, so that nothing underflows.
Turns RootSeed(const Wide<1>& base, int j, std::uint64_t m) noexcept {
  const double mantissa = static_cast<double>(base.limb[0] >> 11) * 0x1p-53;  // 53 bits: exact
  const double binary_log = -(std::log2(mantissa) + base.exponent) * j / static_cast<double>(m);
  const double whole = std::floor(binary_log);
  Turns seed = Resized<kTurnsLimbs>(WideOf(std::exp2(binary_log - whole)));
  seed.exponent += static_cast<std::int32_t>(whole);
  return seed;
}

// root = base^(-2/divisor) within the bound above. False when the residual does not prove it.
bool Root(double base, std::size_t divisor, Turns* root) noexcept {
  const int j = divisor % 2 == 0 ? 1 : 2;
  const std::uint64_t m = divisor % 2 == 0 ? divisor / 2 : divisor;
  const Wide<1> exact_base = WideOf(base);
  const Turns power_of_base =  // 106 bits: exact
      j == 1 ? Resized<kTurnsLimbs>(exact_base) : Multiply<kTurnsLimbs>(exact_base, exact_base);
  *root = RootSeed(exact_base, j, m);
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Turns product = Multiply<kTurnsLimbs>(Power(*root, m), power_of_base);
    const Turns residual = AddToOdd(One(), Negated(product));
    if (IsZero(residual) || residual.exponent <= kResidualExponent) return true;
    // A seed this bad is not the root; to go on could only overflow the exponents.
    if (residual.exponent > -8) return false;
    Turns correction = Multiply<kTurnsLimbs>(*root, residual);
    std::uint64_t quotient[kTurnsLimbs];
    DivideLimbs(correction.limb, m, quotient);
    correction = Normalized<kTurnsLimbs>(quotient, correction.exponent, correction.negative);
    *root = AddToOdd(*root, correction);
  }
  return false;
}

// |frequency| > 2^64. The lowest limb is not looked at: a computed root that should be 2^64 may be wrong there, and an
// exact product of two doubles has zeros there. So the limit is exact for inv_freq and for all but the frequencies from
// base that are beyond it by less than 2^-319 of it.
bool BeyondLimit(const Turns& frequency) noexcept {
  if (IsZero(frequency) || frequency.exponent < 65) return false;
  if (frequency.exponent > 65) return true;
  std::uint64_t excess = frequency.limb[kTurnsLimbs - 1] ^ 0x8000000000000000;
  for (int i = 1; i < kTurnsLimbs - 1; ++i) excess |= frequency.limb[i];
  return excess != 0;
}

}  // namespace

Position PositionOf(std::int64_t position) noexcept {
  const std::uint64_t bits = static_cast<std::uint64_t>(position);
  return {position < 0 ? 0 - bits : bits, 0, position < 0};
}

Position PositionOf(double position) noexcept {
  const Wide<1> exact = WideOf(position);
  if (IsZero(exact)) return {0, 0, exact.negative};
  return {exact.limb[0] >> 11, exact.exponent - 53, exact.negative};  // 53 bits: the 11 dropped ones are 0
}

Error ComputeTurns(const Spec& spec, std::size_t count, Turns* turns) noexcept {
  const Wide<1> scale = WideOf(spec.position_scale);
  const bool from_base = spec.inv_freq.empty();
  Turns root = One();
  if (from_base) {
    const std::size_t divisor = ExponentDivisor(spec);
    if (divisor != 0 && !Root(spec.base, divisor, &root)) return Error::kBase;
  }
  Turns frequency = Resized<kTurnsLimbs>(scale);  // w_k * position_scale
  for (std::size_t k = 0; k < count; ++k) {
    if (!from_base) {
      frequency = Multiply<kTurnsLimbs>(WideOf(spec.inv_freq[k]), scale);
    } else if (k > 0) {
      frequency = Multiply<kTurnsLimbs>(frequency, root);
    }
    if (BeyondLimit(frequency)) return Error::kFrequency;
    turns[k] = Multiply<kTurnsLimbs>(frequency, kInverseTwoPi);
  }
  return Error::kNone;
}

void FractionOf(const Turns& t, std::int32_t exponent, std::uint64_t fraction[3]) noexcept {
  // |t| * 2^exponent = M * 2^(shift - 192) with M the integer of the limbs.
  const std::int64_t shift = static_cast<std::int64_t>(t.exponent) + exponent + 192 - 64 * kTurnsLimbs;
  std::uint64_t bits[kTurnsLimbs];
  for (int i = 0; i < kTurnsLimbs; ++i) bits[i] = t.limb[i];
  if (shift >= 0) {
    ShiftLeft(bits, shift);
  } else {
    ShiftRight(bits, -shift);
  }
  if (t.negative) NegateLimbs(bits);  // the lowest 192 bits of -x are those of -(x mod 2^192)
  for (int i = 0; i < 3; ++i) fraction[i] = bits[i];
}

}  // namespace posenc
