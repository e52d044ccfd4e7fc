// Tests of SumOfCosines, which knows turns of 384 bits: sums that cancel further than the frequencies of any Spec make
// them, against MPFR.

#include "src/similarity_sum.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "src/turns.h"
#include "tests/reference.h"
#include "tests/wide_reference.h"

namespace posenc::test {
namespace {

constexpr mpfr_prec_t kBits = 1400;

// The turns nearest to a real number, towards zero.
Turns TurnsOf(mpfr_srcptr real) {
  Turns turns;
  if (mpfr_zero_p(real)) return turns;
  Real rest(kBits);
  mpfr_abs(rest, real, MPFR_RNDN);
  turns.exponent = static_cast<std::int32_t>(mpfr_get_exp(static_cast<mpfr_srcptr>(rest)));
  turns.negative = mpfr_signbit(real) != 0;
  mpfr_mul_2si(rest, rest, -turns.exponent, MPFR_RNDN);
  for (int i = kTurnsLimbs - 1; i >= 0; --i) {
    mpfr_mul_2ui(rest, rest, 64, MPFR_RNDN);
    turns.limb[i] = mpfr_get_uj(rest, MPFR_RNDZ);
    mpfr_sub_ui(rest, rest, turns.limb[i], MPFR_RNDN);
  }
  return turns;
}

void ExpectSum(const std::vector<Turns>& turns, std::int64_t offset, double amplitude) {
  Real sum(kBits), angle(kBits), pi(kBits), cos(kBits);
  mpfr_set_zero(sum, 1);
  mpfr_const_pi(pi, MPFR_RNDN);
  for (const Turns& t : turns) {
    ToReal(t, angle);
    mpfr_mul_2ui(angle, angle, 1, MPFR_RNDN);
    mpfr_mul(angle, angle, pi, MPFR_RNDN);
    Real position(64);
    mpfr_set_sj(position, offset, MPFR_RNDN);
    mpfr_mul(angle, angle, position, MPFR_RNDN);
    mpfr_cos(cos, angle, MPFR_RNDN);
    mpfr_add(sum, sum, cos, MPFR_RNDN);
  }
  Real scaled(kBits);
  mpfr_mul_d(scaled, sum, amplitude, MPFR_RNDN);
  mpfr_mul_d(scaled, scaled, amplitude, MPFR_RNDN);
  const double want = RoundOnce<double>(scaled);
  const double got = SumOfCosines(turns.data(), turns.size(), PositionOf(offset), amplitude);
  EXPECT_TRUE(Same(got, want)) << "offset " << offset << ": got " << Describe(got) << ", want " << Describe(want);
}

// 2^exponent.
Turns PowerOfTwo(int exponent) {
  Turns turns;
  turns.limb[kTurnsLimbs - 1] = std::uint64_t{1} << 63;
  turns.exponent = exponent + 1;
  return turns;
}

// 1 + cos of half a turn and 2^-e turns more: about 2 pi^2 2^-2e, which is small beside the 384 bits of the turns.
TEST(SumOfCosines, KeepsWhatCosinesNearMinusOneLack) {
  Real real(kBits);
  for (const int e : {2, 20, 60, 100, 150, 200, 300, 340}) {
    mpfr_set_ui_2exp(real, 1, -e, MPFR_RNDN);
    mpfr_add_d(real, real, 0.5, MPFR_RNDN);
    for (const double amplitude : {1.0, 0x1.23456789abcdep150}) {
      ExpectSum({Turns{}, TurnsOf(real)}, 1, amplitude);
      ExpectSum({Turns{}, TurnsOf(real)}, -3, amplitude);
      ExpectSum({TurnsOf(real), Turns{}, TurnsOf(real), Turns{}}, 5, amplitude);
    }
  }
}

// cos of t and of half a turn less t, off by 2^-e turns: about 2 pi sin(2 pi t) 2^-e, of any t.
TEST(SumOfCosines, KeepsDifferencesOfTheFirstOrder) {
  std::mt19937_64 random(1706);
  Real a(kBits), b(kBits);
  for (const int e : {30, 90, 160, 230, 270, 300}) {
    for (int i = 0; i < 20; ++i) {
      Turns t;
      for (std::uint64_t& limb : t.limb) limb = random();
      t.limb[kTurnsLimbs - 1] |= std::uint64_t{1} << 63;
      t.exponent = -static_cast<std::int32_t>(random() % 3) - 1;
      ToReal(t, a);
      mpfr_d_sub(b, 0.5, a, MPFR_RNDN);
      Real difference(kBits);
      mpfr_set_ui_2exp(difference, 1, -e, MPFR_RNDN);
      mpfr_add(b, b, difference, MPFR_RNDN);
      ExpectSum({t, TurnsOf(b)}, 1, 1.0);
      ExpectSum({TurnsOf(b), t}, -1, 1.0);
    }
  }
}

TEST(SumOfCosines, IsExactWhereEveryAngleIsZero) {
  for (const double amplitude : {1.0, -0x1.0000001p0, 0x1.8p-537, 0x1p600, 0.0, -0.0}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{300}}) {
      ExpectSum(std::vector<Turns>(count), 12345, amplitude);
      const std::vector<Turns> any(count, PowerOfTwo(-2));
      ExpectSum(any, 0, amplitude);
    }
  }
}

// Whole and half turns, where cosines are exactly 1 and -1 and the sine of what is left is exactly 0.
TEST(SumOfCosines, TakesExactTurns) {
  for (const std::int64_t offset :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{8}, std::numeric_limits<std::int64_t>::min()}) {
    const std::vector<Turns> turns = {PowerOfTwo(0), PowerOfTwo(-1), PowerOfTwo(62), PowerOfTwo(-3)};
    ExpectSum(turns, offset, 1.0);
  }
}

}  // namespace
}  // namespace posenc::test
