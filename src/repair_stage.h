// Inside room repair: a reduced angle and the factors of an element go in, its bits come out, rounded, together with
// whether kLimbs of precision were enough to be sure of them. Integers only.
//
// The element is addend + on_sin * sine + on_cos * cosine. The wave of the reduced angle x, |x| <= pi/4, is x * S(x^2)
// for a sine and 1 - x^2 * S(x^2) for a cosine, up to sign; when x is a known rational number, a sine is
// x - x^3 * S(x^2) too. So the element is a sum of exact numbers (addend, and the heads factor or factor * x) and of
// parts that are known to a small relative error however small they are. The two ends of its interval give two exact
// sums; when both round to the same bits, that is the element.

#ifndef POSENC_SRC_REPAIR_STAGE_H_
#define POSENC_SRC_REPAIR_STAGE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/repair.h"
#include "src/turns.h"
#include "src/wide.h"

namespace posenc {

// The limbs of the two stages.
inline constexpr int kFirstLimbs = 2;
inline constexpr int kSecondLimbs = kTurnsLimbs;

// Infinity without its sign.
constexpr std::uint64_t InfinityBits(Format format) noexcept {
  return static_cast<std::uint64_t>(format.max_exponent - format.min_exponent + 2) << (format.digits - 1);
}

// The bits of a number whose magnitude has these, and of one with the other sign for its opposite.
constexpr std::uint64_t WithSign(std::uint64_t magnitude, bool negative, Format format) noexcept {
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it imagines formats without digits
  const std::uint64_t sign = InfinityBits(format) + (std::uint64_t{1} << (format.digits - 1));
  return negative ? magnitude | sign : magnitude;
}

// The bits of x rounded to nearest, ties to even.
template <int N>
std::uint64_t RoundedTo(const Wide<N>& x, Format format) noexcept {
  const std::int32_t missing = x.exponent < format.min_exponent ? format.min_exponent - x.exponent : 0;
  // Zero, or below half of the least subnormal.
  if (IsZero(x) || missing > format.digits) return WithSign(0, x.negative, format);
  if (x.exponent > format.max_exponent) return WithSign(InfinityBits(format), x.negative, format);
  const int kept = format.digits - missing;
  const std::uint64_t top = x.limb[N - 1];
  const std::uint64_t significand = kept == 0 ? 0 : top >> (64 - kept);
  const std::uint64_t half = top >> (63 - kept) & 1;
  std::uint64_t below = top << kept << 1;
  for (int i = 0; i < N - 1; ++i) below |= x.limb[i];
  // A normal significand brings its hidden bit, which adds the 1 that its exponent field lacks here. Rounding up
  // carries into the exponent as it should, from subnormal to normal and into infinity too.
  const std::uint64_t field = missing == 0 ? static_cast<std::uint64_t>(x.exponent - format.min_exponent) : 0;
  const std::uint64_t up = half & ((below != 0 ? 1 : 0) | (significand & 1));
  return WithSign((field << (format.digits - 1)) + significand + up, x.negative, format);
}

// Whether all that differs from x by less than 2^(x.exponent - 64), or one of its highest limb, rounds as x does: no
// tie is so near. Not zero, of which only the exact one is.
template <int N>
bool IsFarFromTies(const Wide<N>& x, Format format) noexcept {
  if (IsZero(x)) return false;
  if (x.exponent > format.max_exponent) return true;
  const int kept = format.digits - std::max(0, format.min_exponent - x.exponent);
  if (kept < 0) return kept < -1;  // the least tie is 2^(min_exponent - digits - 1)
  const std::uint64_t below = x.limb[N - 1] << kept;
  constexpr std::uint64_t kTie = 0x8000000000000000;
  return below != kTie && below + (std::uint64_t{1} << kept) != kTie;
}

// position * turns = (-1)^negative * (quadrant / 4 + rest) modulo 1, |rest| <= 1/8, without any rounding.
struct Phase {
  Wide<8> rest;
  int quadrant = 0;  // 0 to 3
  bool negative = false;
  std::int32_t exponent = 0;  // |position * turns| < 2^exponent: what the relative error of turns is relative to
};

// Neither position nor turns is zero, and |position * turns| < 2^126.
Phase PhaseOf(const Turns& turns, const Position& position) noexcept;

// position * turns * 2 pi where that is below 2^-60 and a known rational number: exact, of 64 + 106 bits. Else 0.
Wide<3> ExactAngleOf(const Turns& turns, const Position& position, const Phase& phase) noexcept;

// Sine or cosine of the quadrant turned back to the first one: the wave of a phase is a sine or a cosine of
// 2 pi * rest, with a sign.
struct Reduced {
  bool cosine;
  bool negative;
};

inline Reduced ReducedOf(const Phase& phase, Wave wave) noexcept {
  const int quadrant = phase.quadrant + (wave == Wave::kCos ? 1 : 0);  // cos a = sin(a + a quarter turn)
  const bool cosine = (quadrant & 1) != 0;
  const bool odd_sign = wave == Wave::kSin && phase.negative;
  const bool rest_sign = !cosine && phase.rest.negative;
  return {cosine, ((quadrant & 2) != 0) != (odd_sign != rest_sign)};
}

// 1/(2 n!) as a fraction of 6 limbs, below the exact value by less than 2 units: each is the one before, divided by n
// and rounded down. zeros[n] are its leading zeros, so 1/(2 n!) < 2^-zeros[n] (1 + tiny).
struct InverseFactorials {
  static constexpr int kCount = 86;
  std::array<std::array<std::uint64_t, 6>, kCount> limb{};
  std::array<int, kCount> zeros{};
};

constexpr InverseFactorials MakeInverseFactorials() noexcept {
  InverseFactorials table;
  std::uint64_t value[6] = {0, 0, 0, 0, 0, 0x8000000000000000};
  for (int n = 0; n < InverseFactorials::kCount; ++n) {
    if (n > 1) {
      std::uint64_t quotient[6] = {};
      DivideLimbs(value, static_cast<std::uint64_t>(n), quotient);
      for (int i = 0; i < 6; ++i) value[i] = quotient[i];
    }
    for (int i = 0; i < 6; ++i) table.limb[static_cast<std::size_t>(n)][static_cast<std::size_t>(i)] = value[i];
    table.zeros[static_cast<std::size_t>(n)] = LeadingZeros(value);
  }
  return table;
}

inline constexpr InverseFactorials kInverseFactorials = MakeInverseFactorials();
static_assert(kInverseFactorials.zeros[InverseFactorials::kCount - 2] >= 384);  // the series below ends in the table

// Power 1: sin x, 2: 1 - cos x, 3: x - sin x, for 0 <= x < 0.79, and for power 3 below 2^-60. All are
// x^power * (1/power! - x^2/(power + 2)! + ...). With u = 2^-64L and x within 5.3 u of the angle, relative:
//
//   square: 2 * 5.3 u + 2 u = 12.6 u; below 0.617, so within 7.8 u + 1 u as a fraction.
//   Horner, acc_i = f_i - square * acc_(i+1): f_i within 2 u, the product truncated by 1 u, acc_(i+1) <= 1/12, so
//   e_i <= 0.617 e_(i+1) + 8.8 u / 12 + 3 u <= 9.8 u, and 1 u for the terms left out (alternating, falling): 10.8 u.
//   acc_0 is at least 0.44 for power 1 and 0.237 for power 2: within 25 u and 46 u, relative. For power 3 it is 1/12
//   within 3 u, so within 36 u.
//   value: 5.3 + 25 + 2 u for power 1, 12.6 + 46 + 2 u for power 2, 20 + 36 + 4 u for power 3: at most 61 u.
//
// The amplitude (exact) costs one truncation more: 63 u relative, which is below 63 units of the last place.
inline constexpr int kSeriesErrorBits = 6;

template <int L>
Wide<L> SeriesOf(const Wide<L>& x, int power) noexcept {
  const Wide<L> square = Multiply<L>(x, x);
  // Term i is square^i / (2 (power + 2i)!).
  int last = 0;
  const auto bits_down_to = [&](int i) {
    return kInverseFactorials.zeros[static_cast<std::size_t>(power + 2 * i)] -
           i * static_cast<std::int64_t>(square.exponent);
  };
  while (bits_down_to(last + 1) < 64 * L) ++last;
  std::uint64_t fraction[L];
  for (int i = 0; i < L; ++i) fraction[i] = square.limb[i];
  ShiftRight(fraction, -square.exponent);
  const auto coefficient = [&](int i, std::uint64_t(&limb)[L]) {
    const auto& all = kInverseFactorials.limb[static_cast<std::size_t>(power + 2 * i)];
    for (int j = 0; j < L; ++j) limb[j] = all[static_cast<std::size_t>(6 - L + j)];
  };
  std::uint64_t sum[L];
  coefficient(last, sum);
  for (int i = last - 1; i >= 0; --i) {
    std::uint64_t product[2 * L];
    MultiplyLimbs(fraction, sum, product);
    std::uint64_t high[L];
    for (int j = 0; j < L; ++j) high[j] = product[L + j];
    coefficient(i, sum);
    SubtractLimbs(sum, high);
  }
  const Wide<L> series = Multiply<L>(power == 2 ? square : x, Normalized<L>(sum, 1, false));
  return power == 3 ? Multiply<L>(series, square) : series;
}

// In repair.cc.
extern template Wide<kSecondLimbs> SeriesOf(const Wide<kSecondLimbs>& x, int power) noexcept;

// What an element is made of: addend + factor[kSin] * sine + factor[kCos] * cosine.
struct Factors {
  Wide<2> addend;
  Wide<2> factor[2];
};

// The bits of an element, and whether they are certain.
struct Decision {
  std::uint64_t bits;
  bool certain;
};

// The bits of an angle that is known exactly: position * inv_freq * position_scale.
inline constexpr int kExactAngleBits = 64 + 106;

// A sum of up to five terms, any of which may cancel.
//
// Terms whose exponents differ by at most kApart are added at once, and their sum is exact: of terms of w bits it has
// at most w + 4 * kApart + 4, for which N limbs must be enough, and what cancels leaves fewer. What remains is so far
// apart that at most one bit cancels, and is added from the smallest up: each sum is rounded to odd some bits below the
// last bit that the next one keeps.
template <int N>
class ApartSum {
 public:
  static constexpr int kApart = 8;

  [[gnu::noinline]] void Add(Wide<N> x) noexcept {
    for (int i = 0; i < count_;) {
      if (!IsNear(x, term_[i])) {
        ++i;
        continue;
      }
      x = AddToOdd(x, term_[i]);
      for (--count_; i < count_; ++i) term_[i] = term_[i + 1];
      i = 0;  // the sum may be near another one
    }
    if (IsZero(x)) return;
    int at = count_++;
    for (; at > 0 && term_[at - 1].exponent > x.exponent; --at) term_[at] = term_[at - 1];
    term_[at] = x;
  }

  Wide<N> RoundedToOdd() const noexcept {
    Wide<N> sum = count_ > 0 ? term_[0] : Wide<N>{};
    for (int i = 1; i < count_; ++i) sum = AddToOdd(term_[i], sum);
    return sum;
  }

 private:
  static bool IsNear(const Wide<N>& x, const Wide<N>& y) noexcept {
    const std::int32_t gap = x.exponent - y.exponent;
    return !IsZero(x) && gap >= -kApart && gap <= kApart;
  }

  Wide<N> term_[5];  // the smallest exponent first
  int count_ = 0;
};

// One stage with L limbs, for a phase whose position and turns are not zero, and factors of which one is not. With both
// factors there is no addend. exact_angle: 0, or what position * turns * 2 pi is exactly, a number below 2^-60; then L
// is at least 4. Not certain: bits are the rounding of the middle of the interval.
template <int L>
Decision Stage(const Phase& phase, const Factors& factors, const Wide<3>& exact_angle, Format format) noexcept {
  constexpr int N = L + 1 > 3 ? L + 1 : 3;
  constexpr int kHeadBits = L >= 4 ? 106 + kExactAngleBits : 106;
  static_assert(64 * N >= (kHeadBits > 64 * L ? kHeadBits : 64 * L) + 4 * ApartSum<N>::kApart + 4);
  // 2 u for the rest, 1.3 u for 2 pi (0.785 * 2^3) and 2 u for the product, all truncations: within 5.3 u.
  Wide<L> x = Multiply<L>(Resized<L>(phase.rest), Resized<L>(kTwoPi));
  x.negative = false;
  // The turns are within 2^-330 relative, so the angle is within 2 pi * 2^(exponent - 330) and its relative error below
  // 2^(exponent - x.exponent - 326.3). A part grows at most with its cube (power 3; x sin x / (1 - cos x) <= 2 for
  // power 2): 2^-324.7, and its last place is 2^-64L of the power of two above it.
  const std::int32_t angle_bits = 64 * L + phase.exponent - x.exponent - 324;
  const std::int32_t error_bits = (angle_bits > kSeriesErrorBits ? angle_bits : kSeriesErrorBits) + 1;

  ApartSum<N> sum;
  sum.Add(Resized<N>(factors.addend));
  Wide<N> error;                            // of all parts: twice that of the larger one where there are two
  bool bounded = error_bits <= 64 * L - 2;  // less than the part
  for (const Wave wave : {Wave::kSin, Wave::kCos}) {
    const Wide<2>& factor = factors.factor[static_cast<std::size_t>(wave)];
    if (IsZero(factor)) continue;
    const Reduced reduced = ReducedOf(phase, wave);
    const bool negative = factor.negative != reduced.negative;
    const bool exact_sine = L >= 4 && !reduced.cosine && !IsZero(exact_angle);
    if (reduced.cosine || exact_sine) {
      Wide<N> head = Resized<N>(factor);
      if (exact_sine) head = Multiply<N>(factor, exact_angle);
      head.negative = negative;
      sum.Add(head);
    }
    const int power = reduced.cosine ? 2 : exact_sine ? 3 : 1;
    Wide<N> part = Resized<N>(Multiply<L>(SeriesOf(x, power), factor));
    part.negative = negative != (power > 1);
    sum.Add(part);
    bounded = bounded && !IsZero(part);
    const std::int32_t exponent = part.exponent - 64 * L + error_bits + 1;
    const bool second = !IsZero(error);
    error.exponent = second ? std::max(error.exponent, exponent) + 1 : exponent;
    error.limb[N - 1] = std::uint64_t{1} << 63;
  }
  const Wide<N> middle = sum.RoundedToOdd();
  const std::uint64_t bits = RoundedTo(middle, format);
  if (!bounded) return {bits, false};
  if (error.exponent <= middle.exponent - 64 && IsFarFromTies(middle, format)) return {bits, true};
  ApartSum<N> lower = sum;
  sum.Add(error);
  lower.Add(Negated(error));
  return {bits, RoundedTo(sum.RoundedToOdd(), format) == RoundedTo(lower.RoundedToOdd(), format)};
}

}  // namespace posenc

#endif  // POSENC_SRC_REPAIR_STAGE_H_
