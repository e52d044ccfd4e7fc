// Inside room repair: a reduced angle, an amplitude and an addend go in, the rounded element comes out together with
// whether kLimbs of precision were enough to be sure of it. Integers only.
//
// The element is addend + amplitude * wave. The wave of the reduced angle x, |x| <= pi/4, is x * S(x^2) for a sine and
// 1 - x^2 * S(x^2) for a cosine, up to sign; when x is a known rational number, a sine is x - x^3 * S(x^2) too. So the
// element is a sum of at most two exact numbers (addend, and the head amplitude or amplitude * x) and one part that is
// known to a small relative error however small it is. The two ends of its interval give two exact sums; when both
// round to the same T, that is the element. A rotated element is the sum of two waves, so of two heads and two parts.

#ifndef POSENC_SRC_REPAIR_STAGE_H_
#define POSENC_SRC_REPAIR_STAGE_H_

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "posenc/posenc.h"
#include "src/repair.h"
#include "src/turns.h"
#include "src/wide.h"

namespace posenc {

// A binary format of IEEE 754: digits of the significand with the hidden one; values in [2^(e-1), 2^e) with
// min_exponent <= e <= max_exponent are normal. The numbers are those of std::numeric_limits.
struct Format {
  int digits;
  std::int32_t min_exponent;
  std::int32_t max_exponent;
};

template <class T>
inline constexpr Format kFormat = {};
template <>
inline constexpr Format kFormat<float> = {24, -125, 128};
template <>
inline constexpr Format kFormat<double> = {53, -1021, 1024};
template <>
inline constexpr Format kFormat<Half> = {11, -13, 16};
template <>
inline constexpr Format kFormat<BFloat16> = {8, -125, 128};

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

// Infinity without its sign.
constexpr std::uint64_t InfinityBits(Format format) noexcept {
  return static_cast<std::uint64_t>(format.max_exponent - format.min_exponent + 2) << (format.digits - 1);
}

// |x| rounded to nearest, ties to even, as the bits of a format, without the sign.
template <int N>
inline std::uint64_t RoundedBits(const Wide<N>& x, Format format) noexcept {
  if (IsZero(x)) return 0;
  if (x.exponent > format.max_exponent) return InfinityBits(format);
  const std::int32_t missing = x.exponent < format.min_exponent ? format.min_exponent - x.exponent : 0;
  if (missing > format.digits) return 0;  // below half of the least subnormal
  const int kept = format.digits - missing;
  const std::uint64_t top = x.limb[N - 1];
  const std::uint64_t significand = kept == 0 ? 0 : top >> (64 - kept);
  const std::uint64_t half = top >> (63 - kept) & 1;
  std::uint64_t below = top << kept << 1;
  for (int i = 0; i < N - 1; ++i) below |= x.limb[i];
  // A normal significand brings its hidden bit, which adds the 1 that its exponent field lacks here. Rounding up
  // carries into the exponent as it should, from subnormal to normal and into infinity too.
  const std::uint64_t field = missing == 0 ? static_cast<std::uint64_t>(x.exponent - format.min_exponent) : 0;
  return (field << (format.digits - 1)) + significand + (half & ((below != 0 ? 1 : 0) | (significand & 1)));
}

template <class T>
T FromBits(std::uint64_t magnitude, bool negative) noexcept {
  constexpr int kSignShift = 8 * static_cast<int>(sizeof(T)) - 1;
  return std::bit_cast<T>(static_cast<BitsOf<T>>(magnitude | static_cast<std::uint64_t>(negative) << kSignShift));
}

template <class T, int N>
T RoundedTo(const Wide<N>& x) noexcept {
  return FromBits<T>(RoundedBits(x, kFormat<T>), x.negative);
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

// Whether the wave is the sine of an angle below 2^-60 whose position * turns * 2 pi is a known rational number. Then
// *angle is that number, of 64 + 106 bits; else *angle is not touched.
bool ExactAngleOf(const Turns& turns, const Position& position, const Phase& phase, Wave wave, Wide<3>* angle) noexcept;

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

// addend + head + part, rounded to odd; addend and head may be null. |part| < 0.3 |head|, with the other sign.
//
// Only exact sums may cancel. addend has 106 bits and head at most kHeadBits, so when their exponents differ by at most
// 64 their sum fits into 65 bits more than the longer one and is exact, and part joins last. Otherwise the smaller of
// the two joins part first: rounded to odd, and small enough beside the larger one (at most 0.31 of it) for one bit at
// most to cancel.
template <int kHeadBits, int N>
Wide<N> SumOf(const Wide<N>* addend, const Wide<N>* head, const Wide<N>& part) noexcept {
  static_assert(64 * N >= (kHeadBits > 106 ? kHeadBits : 106) + 65);
  if (head == nullptr) return addend == nullptr ? part : AddToOdd(*addend, part);
  if (addend == nullptr) return AddToOdd(*head, part);
  const std::int32_t gap = addend->exponent - head->exponent;
  if (gap >= -64 && gap <= 64) return AddToOdd(AddToOdd(*addend, *head), part);
  const bool addend_larger = gap > 0;
  return AddToOdd(addend_larger ? *addend : *head, AddToOdd(addend_larger ? *head : *addend, part));
}

// x moved away from or closer to zero by 2^bit units of its last place, 0 <= bit < 64N - 1. x is not zero, and its last
// bit is.
template <int N>
Wide<N> MovedAway(Wide<N> x, int bit) noexcept {
  std::uint64_t step[N] = {};
  step[bit / 64] = std::uint64_t{1} << (bit % 64);
  if (AddLimbs(x.limb, step) != 0) {
    ShiftRight(x.limb, 1);
    x.limb[N - 1] |= 0x8000000000000000;
    ++x.exponent;
  }
  return x;
}

template <int N>
Wide<N> MovedCloser(const Wide<N>& x, int bit) noexcept {
  std::uint64_t step[N] = {};
  step[bit / 64] = std::uint64_t{1} << (bit % 64);
  Wide<N> moved = x;
  SubtractLimbs(moved.limb, step);
  return moved.limb[N - 1] >> 63 != 0 ? moved : Normalized<N>(moved.limb, x.exponent, x.negative);
}

// An element, and whether it is certain.
template <class T>
struct Decision {
  T value;
  bool certain;
};

// The limbs of the two stages of Repair.
inline constexpr int kFirstLimbs = 2;
inline constexpr int kSecondLimbs = kTurnsLimbs;

// The bits of an angle that is known exactly: position * inv_freq * position_scale.
inline constexpr int kExactAngleBits = 64 + 106;

// factor * wave as head + part: head is exact, part within 2^error_bits units of the last place of its L limbs.
template <int L, int N>
struct WaveTerms {
  Wide<N> head;
  Wide<N> part;
  std::int32_t error_bits;
  bool has_head;

  // Whether the error is known to be less than the part.
  bool is_bounded() const noexcept { return !IsZero(part) && error_bits <= 64 * L - 2; }

  // The part with its error added in full, away from zero or towards it.
  Wide<N> Farther() const noexcept { return MovedAway(part, 64 * N - 64 * L + error_bits); }
  Wide<N> Nearer() const noexcept { return MovedCloser(part, 64 * N - 64 * L + error_bits); }
};

// For a phase whose position, turns and factor are not zero. exact_angle is null, or holds what position * turns * 2 pi
// is exactly: a number below 2^-60, which matters for a sine; then L is at least 4.
template <int L, int N, int F>
WaveTerms<L, N> TermsOf(const Phase& phase, Wave wave, const Wide<F>& factor, const Wide<3>* exact_angle) noexcept {
  const Reduced reduced = ReducedOf(phase, wave);
  const bool exact_sine = !reduced.cosine && exact_angle != nullptr;
  // 2 u for the rest, 1.3 u for 2 pi (0.785 * 2^3) and 2 u for the product, all truncations: within 5.3 u.
  Wide<L> x = Multiply<L>(Resized<L>(phase.rest), Resized<L>(kTwoPi));
  x.negative = false;
  const int power = reduced.cosine ? 2 : exact_sine ? 3 : 1;
  const bool negative = factor.negative != reduced.negative;
  WaveTerms<L, N> terms;
  terms.has_head = reduced.cosine || exact_sine;
  terms.part = Resized<N>(Multiply<L>(SeriesOf(x, power), factor));
  terms.part.negative = negative != terms.has_head;
  terms.head = exact_sine ? Multiply<N>(factor, *exact_angle) : Resized<N>(factor);
  terms.head.negative = negative;

  // The turns are within 2^-330 relative, so the angle is within 2 pi * 2^(exponent - 330) and its relative error below
  // 2^(exponent - x.exponent - 326.3). The part grows at most with its cube (power 3; x sin x / (1 - cos x) <= 2 for
  // power 2): 2^-324.7, and its last place is 2^-64L of the power of two above it.
  const std::int32_t angle_bits = 64 * L + phase.exponent - x.exponent - 324;
  terms.error_bits = (angle_bits > kSeriesErrorBits ? angle_bits : kSeriesErrorBits) + 1;
  return terms;
}

// One stage of Repair with L limbs, for a phase whose position, turns and amplitude are not zero; addend may be null.
// exact_angle: as for TermsOf, when a sine is wanted. Not certain: value is the rounding of the middle of the interval.
template <class T, int L>
Decision<T> RepairStage(const Phase& phase, Wave wave, const Wide<1>& amplitude, const Wide<2>* addend,
                        const Wide<3>* exact_angle) noexcept {
  constexpr int kSumLimbs = L + 1 > 3 ? L + 1 : 3;
  constexpr int kHeadBits = L >= 4 ? 53 + kExactAngleBits : 53;
  const auto terms = TermsOf<L, kSumLimbs>(phase, wave, amplitude, exact_angle);
  Wide<kSumLimbs> exact_addend;
  if (addend != nullptr) exact_addend = Resized<kSumLimbs>(*addend);
  const auto sum_with = [&](const Wide<kSumLimbs>& part) {
    return SumOf<kHeadBits>(addend != nullptr ? &exact_addend : nullptr, terms.has_head ? &terms.head : nullptr, part);
  };
  if (!terms.is_bounded()) return {RoundedTo<T>(sum_with(terms.part)), false};
  const T farther = RoundedTo<T>(sum_with(terms.Farther()));
  const T nearer = RoundedTo<T>(sum_with(terms.Nearer()));
  if (std::bit_cast<BitsOf<T>>(farther) == std::bit_cast<BitsOf<T>>(nearer)) return {farther, true};
  return {RoundedTo<T>(sum_with(terms.part)), false};
}

// The sum of up to four terms, any of which may cancel, rounded to odd; the terms are not kept.
//
// Terms whose exponents differ by at most 64 are added first, and their sum is exact: of terms of w bits it has at most
// w + 3 * 64 + 3, for which N limbs must be enough, and what cancels leaves fewer. What remains is so far apart that at
// most one bit cancels, and is added from the smallest up: each sum is rounded to odd far below the last bit of the
// next.
template <int N>
Wide<N> SumOfApart(Wide<N> (&term)[4], int count) noexcept {
  for (bool apart = false; !apart;) {
    for (int i = 1; i < count; ++i) {  // insertion sort, the largest exponent first, zeros last
      for (int j = i; j > 0; --j) {
        const bool in_order = IsZero(term[j]) || (!IsZero(term[j - 1]) && term[j - 1].exponent >= term[j].exponent);
        if (in_order) break;
        std::swap(term[j - 1], term[j]);
      }
    }
    while (count > 0 && IsZero(term[count - 1])) --count;
    apart = true;
    for (int i = 1; i < count; ++i) {
      if (term[i - 1].exponent - term[i].exponent > 64) continue;
      term[i - 1] = AddToOdd(term[i - 1], term[i]);
      term[i] = {};
      apart = false;
      break;
    }
  }
  Wide<N> sum;
  while (count > 0) sum = AddToOdd(term[--count], sum);
  return sum;
}

// One stage of RepairRotation with L limbs: on_cos * cos + on_sin * sin, for a phase whose position and turns are not
// zero; one of the factors may be. exact_angle: as for TermsOf, when the angle is known.
template <class T, int L>
Decision<T> RotationStage(const Phase& phase, const Wide<2>& on_cos, const Wide<2>& on_sin,
                          const Wide<3>* exact_angle) noexcept {
  constexpr int kSumLimbs = L + 4;
  // A part that was moved has one bit more than its limbs.
  constexpr int kHeadBits = L >= 4 ? 106 + kExactAngleBits : 106;
  static_assert(64 * kSumLimbs >= (kHeadBits > 64 * L + 1 ? kHeadBits : 64 * L + 1) + 3 * 64 + 3);
  WaveTerms<L, kSumLimbs> waves[2];
  int count = 0;
  bool bounded = true;
  for (const Wave wave : {Wave::kCos, Wave::kSin}) {
    const Wide<2>& factor = wave == Wave::kCos ? on_cos : on_sin;
    if (IsZero(factor)) continue;
    waves[count] = TermsOf<L, kSumLimbs>(phase, wave, factor, exact_angle);
    bounded = bounded && waves[count].is_bounded();
    ++count;
  }
  // The end of the interval above the exact value, the one below it, or its middle.
  enum class End { kUpper, kLower, kMiddle };
  const auto rounded = [&](End end) {
    Wide<kSumLimbs> term[4];
    int terms = 0;
    for (int i = 0; i < count; ++i) {
      if (waves[i].has_head) term[terms++] = waves[i].head;
      const bool away = waves[i].part.negative == (end == End::kLower);
      term[terms++] = end == End::kMiddle ? waves[i].part : away ? waves[i].Farther() : waves[i].Nearer();
    }
    return RoundedTo<T>(SumOfApart(term, terms));
  };
  if (bounded) {
    const T upper = rounded(End::kUpper);
    const T lower = rounded(End::kLower);
    if (std::bit_cast<BitsOf<T>>(upper) == std::bit_cast<BitsOf<T>>(lower)) return {upper, true};
  }
  return {rounded(End::kMiddle), false};
}

}  // namespace posenc

#endif  // POSENC_SRC_REPAIR_STAGE_H_
