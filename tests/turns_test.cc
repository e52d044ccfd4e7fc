// Tests of room turns and of its arithmetic: every frequency, fraction and wide sum is compared with MPFR.

#include "src/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "src/repair_stage.h"
#include "src/spec.h"
#include "src/wide.h"
#include "tests/reference.h"
#include "tests/specs.h"
#include "tests/wide_reference.h"

namespace posenc::test {
namespace {

constexpr mpfr_prec_t kExactBits = 1000;

// log2 |got / want - 1|, and log2 |got - want|; -infinity for equal.
struct Distance {
  double relative = -HUGE_VAL;
  double absolute = -HUGE_VAL;
};

template <int N>
Distance DistanceOf(const Wide<N>& got, mpfr_srcptr want) {
  Real value(kExactBits);
  ToReal(got, value);
  mpfr_sub(value, value, want, MPFR_RNDN);
  if (mpfr_zero_p(static_cast<mpfr_srcptr>(value))) return {};
  const double absolute = static_cast<double>(mpfr_get_exp(static_cast<mpfr_srcptr>(value)));
  if (mpfr_zero_p(want)) return {HUGE_VAL, absolute};
  return {absolute - static_cast<double>(mpfr_get_exp(want)) + 1, absolute};
}

// frequency / (2 pi).
void TurnsOf(mpfr_srcptr frequency, mpfr_ptr turns) {
  Real pi(kExactBits);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_div(turns, frequency, pi, MPFR_RNDN);
  mpfr_div_2ui(turns, turns, 1, MPFR_RNDN);
}

// |frequency| > 2^64. 2^64 itself has one bit and an MPFR exponent of 65.
bool IsBeyondLimit(mpfr_srcptr frequency) {
  if (mpfr_zero_p(frequency)) return false;
  return mpfr_get_exp(frequency) > 65 || (mpfr_get_exp(frequency) == 65 && mpfr_min_prec(frequency) > 1);
}

// Checks all frequencies of spec, whose frequencies are in reference; merges the largest distances into worst. When one
// is beyond 2^64 an error must come, and otherwise none.
void Check(const Spec& spec, const Reference& reference, Distance* worst) {
  const std::size_t count = reference.frequencies();
  bool beyond = false;
  for (std::size_t k = 0; k < count; ++k) beyond = beyond || IsBeyondLimit(reference.Frequency(k));
  std::vector<Turns> turns(count);
  const Error error = ComputeTurns(spec, count, turns.data());
  ASSERT_EQ(error, beyond ? Error::kFrequency : Error::kNone) << Describe(spec);
  if (beyond) return;
  Real want(kExactBits);
  for (std::size_t k = 0; k < count; ++k) {
    TurnsOf(reference.Frequency(k), want);
    const Distance distance = DistanceOf(turns[k], want);
    ASSERT_LT(distance.relative, -330) << Describe(spec) << " k=" << k;
    if (mpfr_zero_p(reference.Frequency(k)) || mpfr_get_exp(reference.Frequency(k)) <= 64) {
      ASSERT_LT(distance.absolute, -190) << Describe(spec) << " k=" << k;
    }
    ASSERT_TRUE(IsZero(turns[k]) || turns[k].limb[kTurnsLimbs - 1] >> 63 == 1);
    ASSERT_EQ(turns[k].negative, mpfr_signbit(reference.Frequency(k)) != 0) << Describe(spec) << " k=" << k;
    worst->relative = std::max(worst->relative, distance.relative);
    worst->absolute = std::max(worst->absolute, distance.absolute);
  }
}

constexpr double kBases[] = {2.5, 1e4, 5e5, 1e6, 1234567.891, 1e9, 1e12, 1.0, 0.5, 1e-10, 1e300, 5e-324, 4096.0};

TEST(Turns, AreThoseOfMpfrForEveryBaseDimAndRule) {
  Distance worst;
  for (const double base : kBases) {
    for (const std::size_t dim : {1u, 2u, 3u, 4u, 5u, 7u, 64u, 80u, 127u, 128u, 512u, 770u, 4096u, 16384u}) {
      for (const Spacing spacing : {Spacing::kExclusive, Spacing::kInclusive}) {
        for (const OddDim odd : {OddDim::kError, OddDim::kZero, OddDim::kDropCos}) {
          if ((dim % 2 == 1) == (odd == OddDim::kError)) continue;
          if (dim % 2 == 0 && odd == OddDim::kDropCos) continue;  // the same as kError
          Spec spec = SpecOf(dim, base);
          spec.spacing = spacing;
          spec.odd = odd;
          Check(spec, Reference(spec), &worst);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  std::printf("largest error of a frequency in turns: 2^%.0f relative, 2^%.0f absolute\n", worst.relative,
              worst.absolute);
}

TEST(Turns, TakePositionScaleExactly) {
  Distance worst;
  for (const double base : kBases) {
    for (const double scale : {1.0, -1.0, 6.283185307179586, 1000.0, 1e-300, 5e-324, -0.1, 0x1p64, 1e19, 1e300}) {
      for (const std::size_t dim : {2u, 5u, 64u}) {
        Spec spec = SpecOf(dim, base);
        spec.odd = OddDim::kDropCos;
        spec.position_scale = scale;
        Check(spec, Reference(spec), &worst);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Turns, InvFreqTimesScaleIsExact) {
  std::mt19937_64 random(1);
  Distance worst;
  for (int i = 0; i < 3000; ++i) {
    Spec spec = SpecOf(8);
    spec.position_scale = i % 3 == 0 ? 1.0 : FiniteDouble(random);
    for (int k = 0; k < 4; ++k) {
      // Half of the products are small enough: 2^64 / scale at most.
      double w = FiniteDouble(random);
      const double limit = 0x1p64 / std::fabs(spec.position_scale);
      while (i % 2 == 0 && std::fabs(w) > limit) w *= 0x1p-64;
      spec.inv_freq.push_back(w);
    }
    Check(spec, Reference(spec), &worst);
    if (HasFatalFailure()) return;
  }
  EXPECT_LT(worst.relative, -380);
}

TEST(Turns, LimitIsExactlyTwoTo64) {
  Turns turns[2];
  Spec spec = SpecOf(4);
  const double above = std::nextafter(0x1p64, HUGE_VAL);
  for (const double sign : {1.0, -1.0}) {
    spec.inv_freq = {1.0, sign * 0x1p64};
    EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kNone);
    spec.inv_freq = {1.0, sign * above};
    EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kFrequency);
    // (1 + 2^-52) (1 - 2^-53) 2^64 is above the limit by 2^-53 - 2^-105 of it; rounded to double it is the limit.
    spec.inv_freq = {1.0, 0x1.fffffffffffffp63};
    spec.position_scale = sign * 0x1.0000000000001p0;
    EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kFrequency);
    spec.position_scale = sign;
    EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kNone);
  }
  spec = SpecOf(4, 0x1p-128);  // w_1 = base^(-1/2) = 2^64
  EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kNone);
  spec.base = std::nextafter(spec.base, 0.0);
  EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kFrequency);
  spec = SpecOf(4, 1e4);
  spec.position_scale = 0x1p64;
  EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kNone);
  spec.position_scale = above;
  EXPECT_EQ(ComputeTurns(spec, 2, turns), Error::kFrequency);
}

TEST(Turns, ZeroKeepsItsSign) {
  Turns turns[4];
  Spec spec = SpecOf(8);
  spec.inv_freq = {0.0, -0.0, 1.0, -1.0};
  spec.position_scale = -0.0;
  ASSERT_EQ(ComputeTurns(spec, 4, turns), Error::kNone);
  const bool negative[4] = {true, false, true, false};
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(IsZero(turns[k]));
    EXPECT_EQ(turns[k].negative, negative[k]) << k;
  }
  spec.inv_freq.clear();
  ASSERT_EQ(ComputeTurns(spec, 4, turns), Error::kNone);
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(IsZero(turns[k]) && turns[k].negative) << k;
}

TEST(Turns, LongestRowsMeetTheCertificate) {
  // The largest degrees of a root, whose first frequencies are enough to see it: the 4096th shows an error of the root
  // 4096 times. The odd divisor doubles the exponent.
  for (const double base : {1e4, 5e-324, std::numeric_limits<double>::max()}) {
    for (const std::size_t dim : {std::size_t{1} << 26, (std::size_t{1} << 26) - 1}) {
      Spec spec = SpecOf(dim, base);
      spec.odd = OddDim::kDropCos;
      constexpr std::size_t kCount = 4096;
      std::vector<Turns> turns(kCount);
      ASSERT_EQ(ComputeTurns(spec, kCount, turns.data()), Error::kNone);
      Real want(kExactBits);
      mpfr_set_ui(want, 2 * (kCount - 1), MPFR_RNDN);
      mpfr_div_ui(want, want, dim, MPFR_RNDN);
      mpfr_neg(want, want, MPFR_RNDN);
      Real exact_base(53);
      mpfr_set_d(exact_base, base, MPFR_RNDN);
      mpfr_pow(want, exact_base, want, MPFR_RNDN);
      TurnsOf(want, want);
      EXPECT_LT(DistanceOf(turns[kCount - 1], want).relative, -340) << dim;
    }
  }
}

TEST(Turns, DoNotDependOnTheRoundingMode) {
  for (const double base : kBases) {
    const Spec spec = SpecOf(770, base);
    std::vector<Turns> turns(385);
    const Error error = ComputeTurns(spec, turns.size(), turns.data());
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::vector<Turns> other(turns.size());
      ASSERT_EQ(std::fesetround(mode), 0);
      const Error other_error = ComputeTurns(spec, other.size(), other.data());
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(error, other_error);
      if (error != Error::kNone) continue;
      for (std::size_t k = 0; k < turns.size(); ++k) {
        Real want(kExactBits);
        ToReal(turns[k], want);
        EXPECT_LT(DistanceOf(other[k], want).relative, -330);
      }
    }
  }
}

TEST(Turns, PositionsAreExact) {
  std::mt19937_64 random(2);
  const auto value = [](const Position& p, mpfr_ptr real) {
    mpfr_set_uj(real, p.magnitude, MPFR_RNDN);
    mpfr_mul_2si(real, real, p.exponent, MPFR_RNDN);
    if (p.negative) mpfr_neg(real, real, MPFR_RNDN);
  };
  Real got(64);
  for (int i = 0; i < 10000; ++i) {
    const auto integer = static_cast<std::int64_t>(random()) >> (i % 64);
    value(PositionOf(integer), got);
    ASSERT_EQ(mpfr_cmp_si(static_cast<mpfr_srcptr>(got), integer), 0);
    const double real = FiniteDouble(random);
    value(PositionOf(real), got);
    ASSERT_EQ(mpfr_cmp_d(static_cast<mpfr_srcptr>(got), real), 0);
  }
  EXPECT_EQ(PositionOf(std::numeric_limits<std::int64_t>::min()).magnitude, 0x8000000000000000);
  EXPECT_TRUE(PositionOf(std::numeric_limits<std::int64_t>::min()).negative);
  EXPECT_TRUE(PositionOf(-0.0).negative);
  EXPECT_FALSE(PositionOf(0.0).negative);
  EXPECT_EQ(PositionOf(-0.0).magnitude, 0u);
  EXPECT_FALSE(PositionOf(std::int64_t{0}).negative);
}

TEST(Turns, FractionIsTheFractionOfEveryExponent) {
  std::mt19937_64 random(3);
  Real exact(kExactBits);
  Real whole(kExactBits);
  for (int i = 0; i < 40000; ++i) {
    Turns t;
    for (std::uint64_t& limb : t.limb) limb = random() & (i % 5 == 0 ? random() & random() & random() : ~0ull);
    t.limb[kTurnsLimbs - 1] |= 0x8000000000000000;
    t.exponent = static_cast<std::int32_t>(random() % 1400) - 900;
    t.negative = random() % 2 != 0;
    const std::int32_t exponent = static_cast<std::int32_t>(random() % 400) - 200;
    std::uint64_t got[3];
    FractionOf(t, exponent, got);
    // floor(|t| 2^(exponent + 192)) mod 2^192, negated for a negative t.
    Turns magnitude = t;
    magnitude.negative = false;
    magnitude.exponent += exponent + 192;
    ToReal(magnitude, exact);
    mpfr_floor(exact, exact);
    mpfr_set_ui_2exp(whole, 1, 192, MPFR_RNDN);
    mpfr_fmod(exact, exact, whole, MPFR_RNDN);
    if (t.negative && !mpfr_zero_p(static_cast<mpfr_srcptr>(exact))) mpfr_sub(exact, whole, exact, MPFR_RNDN);
    Real sum(kExactBits);
    mpfr_set_zero(sum, 1);
    for (int j = 2; j >= 0; --j) {
      Real limb(64);
      mpfr_set_uj(limb, got[j], MPFR_RNDN);
      mpfr_mul_2ui(sum, sum, 64, MPFR_RNDN);
      mpfr_add(sum, sum, limb, MPFR_RNDN);
    }
    ASSERT_TRUE(mpfr_equal_p(static_cast<mpfr_srcptr>(sum), static_cast<mpfr_srcptr>(exact))) << i;
  }
  const Turns zero = {{}, 5, true};
  std::uint64_t fraction[3] = {1, 1, 1};
  FractionOf(zero, 1000, fraction);
  EXPECT_EQ(fraction[0] | fraction[1] | fraction[2], 0u);
  const Turns eighth = {{0, 0, 0, 0, 0, 0x8000000000000000}, -2, true};
  for (const std::int32_t huge : {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    FractionOf(eighth, huge, fraction);
    EXPECT_EQ(fraction[0] | fraction[1] | fraction[2], 0u);
  }
  FractionOf(eighth, 0, fraction);
  EXPECT_EQ(fraction[2], 0xe000000000000000);
}

TEST(Turns, ConstantsAreThoseOfMpfr) {
  Real want(kExactBits);
  Real got(kExactBits);
  const auto expect_floor = [&](mpfr_srcptr exact) {  // of 384 bits
    Real floor(384);
    mpfr_set(floor, exact, MPFR_RNDZ);
    EXPECT_TRUE(mpfr_equal_p(static_cast<mpfr_srcptr>(floor), static_cast<mpfr_srcptr>(got)));
  };
  mpfr_const_pi(want, MPFR_RNDN);
  mpfr_mul_2ui(want, want, 1, MPFR_RNDN);
  ToReal(kTwoPi, got);
  expect_floor(want);
  mpfr_ui_div(want, 1, want, MPFR_RNDN);
  ToReal(kInverseTwoPi, got);
  expect_floor(want);
  for (int n = 0; n < InverseFactorials::kCount; ++n) {
    const auto& limbs = kInverseFactorials.limb[static_cast<std::size_t>(n)];
    std::uint64_t copy[6];
    std::copy(limbs.begin(), limbs.end(), copy);
    ToReal(Normalized<6>(copy, 0, false), got);
    mpfr_fac_ui(want, static_cast<unsigned long>(n), MPFR_RNDN);
    mpfr_mul_2ui(want, want, 1, MPFR_RNDN);
    mpfr_ui_div(want, 1, want, MPFR_RNDN);
    mpfr_sub(want, want, got, MPFR_RNDN);  // from 0 to 2 units
    EXPECT_GE(mpfr_sgn(static_cast<mpfr_srcptr>(want)), 0) << n;
    EXPECT_LT(mpfr_get_d(want, MPFR_RNDU), 0x1p-383) << n;
    EXPECT_EQ(kInverseFactorials.zeros[static_cast<std::size_t>(n)], LeadingZeros(copy)) << n;
  }
}

// a + b in MPFR, rounded to odd at 64 N bits.
template <int N>
void SumToOdd(const Wide<N>& a, const Wide<N>& b, mpfr_ptr sum) {
  Real x(64 * N);
  Real y(64 * N);
  ToReal(a, x);
  ToReal(b, y);
  AddOdd(sum, x, y);
}

template <int N>
void CheckWide(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  // Sparse limbs make ties, exact sums and cancellation likely.
  const auto number = [&](int i) {
    std::uint64_t limb[N];
    for (std::uint64_t& x : limb) x = i % 3 == 0 ? random() : (random() & 1) << (random() % 64);
    if (i % 7 == 0) std::fill(std::begin(limb), std::end(limb), ~0ull);
    limb[N - 1] |= 0x8000000000000000;
    return Normalized<N>(limb, static_cast<std::int32_t>(random() % (i % 2 == 0 ? 4 : 64 * N + 150)),
                         random() % 2 != 0);
  };
  Real want(64 * N);
  Real got(64 * N);
  for (int i = 0; i < 30000; ++i) {
    const Wide<N> a = number(i);
    Wide<N> b = number(i + i / 3);
    if (i % 11 == 0) {
      b = a;
      b.negative = !a.negative;
      b.limb[0] ^= random() % 2;
    }
    const Wide<N> sum = AddToOdd(a, b);
    ToReal(sum, got);
    SumToOdd(a, b, want);
    ASSERT_TRUE(mpfr_equal_p(static_cast<mpfr_srcptr>(want), static_cast<mpfr_srcptr>(got))) << i;
    ASSERT_TRUE(IsZero(sum) ? !sum.negative : sum.limb[N - 1] >> 63 == 1);
    Real x(64 * N);
    Real y(64 * N);
    ToReal(a, x);
    ToReal(b, y);
    mpfr_mul(want, x, y, MPFR_RNDZ);
    ToReal(Multiply<N>(a, b), got);
    ASSERT_TRUE(mpfr_equal_p(static_cast<mpfr_srcptr>(want), static_cast<mpfr_srcptr>(got))) << i;
  }
}

TEST(Turns, WideSumsAndProductsAreThoseOfMpfr) {
  CheckWide<1>(4);
  CheckWide<3>(5);
  CheckWide<4>(6);
  CheckWide<7>(7);
}

TEST(Turns, WideOfIsExact) {
  std::mt19937_64 random(8);
  Real got(64);
  for (int i = 0; i < 20000; ++i) {
    const double x = i % 4 == 0 ? std::bit_cast<double>(random() & 0x800fffffffffffff) : FiniteDouble(random);
    ToReal(WideOf(x), got);
    ASSERT_EQ(mpfr_cmp_d(static_cast<mpfr_srcptr>(got), x), 0);
  }
  EXPECT_TRUE(IsZero(WideOf(-0.0)) && WideOf(-0.0).negative);
}

TEST(Turns, SetUpTimeIsPrinted) {
  for (const std::size_t dim : {512u, 8192u, 16384u}) {
    const Spec spec = SpecOf(dim);
    std::vector<Turns> turns(dim / 2);
    double best = HUGE_VAL;
    for (int i = 0; i < 10; ++i) {
      const auto start = std::chrono::steady_clock::now();
      ASSERT_EQ(ComputeTurns(spec, turns.size(), turns.data()), Error::kNone);
      best =
          std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("ComputeTurns, dim %zu: %.1f us\n", dim, best);
  }
}

}  // namespace
}  // namespace posenc::test
