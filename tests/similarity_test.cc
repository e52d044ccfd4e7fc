// Tests of Encoder::Similarity on every target: each value equals the MPFR sum rounded once, at any offset and however
// much the sum cancels.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class Similarity : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(Similarity);

// amplitude^2 * the sum of cosines, rounded once. The cosines have kCosineBits, so that a sum that cancels to 2^-340
// has 300 bits left.
double Expected(const Spec& spec, Reference& reference, std::int64_t offset) {
  constexpr mpfr_prec_t kCosineBits = 640;
  Real sin(kCosineBits), cos(kCosineBits), sum(kCosineBits + 64), amplitude(53), result(kCosineBits + 64 + 106);
  mpfr_set_zero(sum, 1);
  for (std::size_t k = 0; k < reference.frequencies(); ++k) {
    reference.SinCos(offset, k, sin, cos);
    mpfr_add(sum, sum, cos, MPFR_RNDN);
  }
  mpfr_set_d(amplitude, spec.amplitude, MPFR_RNDN);
  mpfr_mul(result, sum, amplitude, MPFR_RNDN);  // exact
  mpfr_mul(result, result, amplitude, MPFR_RNDN);
  if (mpfr_zero_p(static_cast<mpfr_srcptr>(result))) return 0.0;
  return RoundOnce<double>(result);
}

void ExpectSimilarity(const Spec& spec, const std::vector<std::int64_t>& offsets) {
  const Encoder encoder = MakeOrFail(spec);
  Reference reference(spec);
  GuardedRows<double> out(offsets.size(), 1);
  ASSERT_EQ(encoder.Similarity(offsets, {out.data(), offsets.size()}), Error::kNone);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const double want = Expected(spec, reference, offsets[i]);
    ASSERT_TRUE(Same(out.data()[i], want)) << Describe(spec) << " offset " << offsets[i] << ": got "
                                           << Describe(out.data()[i]) << ", want " << Describe(want);
  }
  EXPECT_TRUE(out.GuardsAreIntact());
}

const std::vector<std::int64_t> kOffsets = {
    0, 1, -1, 2, 3, 7, 16, 255, 4096, 65537, 1 << 24, -1000003, std::int64_t{1} << 40, kMax - 1, kMax, kMin, kMin + 1};

TEST_P(Similarity, MatchesMpfrForEveryValueField) {
  for (const Spec& spec : ValueSpecs()) ExpectSimilarity(spec, kOffsets);
}

TEST_P(Similarity, MatchesMpfrForEveryDim) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 1; dim <= 70; ++dim) dims.push_back(dim);
  for (const std::size_t dim : Sizes{127, 128, 130, 512, 770, 2050}) dims.push_back(dim);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    Spec spec = VariedSpec(dims[i], i);
    if (dims[i] % 2 != 0) spec.odd = OddDim::kZero;
    ExpectSimilarity(spec, {0, 1, -5, 1234567, kMin});
  }
}

TEST_P(Similarity, MatchesMpfrAtRandomOffsets) {
  std::mt19937_64 random(20170706);
  for (const std::size_t dim : Sizes{2, 64}) {
    std::vector<std::int64_t> offsets;
    for (int i = 0; i < 300; ++i) offsets.push_back(static_cast<std::int64_t>(random()) >> (i % 64));
    ExpectSimilarity(SpecOf(dim), offsets);
  }
}

// Frequencies that were chosen to cancel: to first order (cos a + cos b near a zero of both), to second order (1 + cos
// of nearly half a turn: about 2^-106 and less), at offsets and scales of any size, with amplitudes that reach the ends
// of the type.
TEST_P(Similarity, MatchesMpfrWhereTheSumCancels) {
  constexpr double kPi = std::numbers::pi;
  const std::vector<double> lists[] = {{0.0, kPi},
                                       {0.0, 0.0, kPi, kPi},
                                       {kPi / 2},
                                       {1.0, kPi - 1.0},
                                       {0.0, 2 * kPi / 3, 4 * kPi / 3},
                                       {0.0, 2 * kPi / 5, 4 * kPi / 5, 6 * kPi / 5, 8 * kPi / 5},
                                       {0x1p-30, kPi},
                                       {1e-300, kPi}};
  for (const std::vector<double>& list : lists) {
    for (const double amplitude : {1.0, -0.75, 0x1.fffffffffffffp200, 0x1p-500}) {
      Spec spec = SpecOf(2 * list.size());
      spec.inv_freq = list;
      spec.amplitude = amplitude;
      ExpectSimilarity(spec, {0, 1, -1, 3, 5, 7, 101, 1000001, (std::int64_t{1} << 52) + 1, kMax, kMin});
      // The same angles at the far end of the offsets, exactly.
      spec.position_scale = 0x1p-63;
      ExpectSimilarity(spec, {kMin, kMin + 1, kMax});
    }
  }
  // As many turns as there can be: the angles lose the most digits.
  Spec far = SpecOf(4);
  far.inv_freq = {0.0, kPi};
  far.position_scale = 0x1p62;
  ExpectSimilarity(far, {1, 3, kMin, kMax});
}

// Two cosines that all but cancel 1, and a third, of a small angle, that takes most of what is left: 1 + 2 cos a is
// about 2^-52, and a small c with cos c = -2 cos a has a sum of about 2^-104 once it is a double.
TEST_P(Similarity, MatchesMpfrWhereThreeCosinesCancel) {
  Real angle(200), exact(400);
  for (int below = 1; below < 8; ++below) {
    double a = 2 * std::numbers::pi / 3;
    for (int i = 0; i < below; ++i) a = std::nextafter(a, 0.0);
    mpfr_set_d(angle, a, MPFR_RNDN);
    mpfr_cos(exact, angle, MPFR_RNDN);
    mpfr_mul_si(exact, exact, -2, MPFR_RNDN);
    mpfr_acos(exact, exact, MPFR_RNDN);
    const double c = mpfr_get_d(exact, MPFR_RNDN);
    ASSERT_GT(c, 0.0);
    ASSERT_LT(c, 0x1p-20);
    Spec spec = SpecOf(6);
    spec.inv_freq = {a, c, a};
    ExpectSimilarity(spec, {1, -1});
  }
}

// Sums of one sign that a double cannot hold, and ties: amplitude^2 * n has up to 106 + 25 bits.
TEST_P(Similarity, RoundsTheSquareOfTheAmplitudeOnce) {
  for (const double amplitude : {0x1.000001p0, 0x1.0000004p0, 0x1.8p-537, 0x1p-538, 0x1.5p-538, 0x1.6a09e667f3bcdp511,
                                 0x1p512, 1e-320, 0.0, -0.0}) {
    for (const std::size_t dim : Sizes{2, 6, 10}) {
      Spec spec = SpecOf(dim);
      spec.amplitude = amplitude;
      ExpectSimilarity(spec, {0, 1, 2, 3, kMin});
      spec.inv_freq.assign(dim / 2, 0.0);
      ExpectSimilarity(spec, {0, 1, kMin});
    }
  }
}

TEST_P(Similarity, IsEvenAndExactAtZero) {
  for (const std::size_t dim : Sizes{2, 30, 512}) {
    const Encoder encoder = MakeOrFail(SpecOf(dim));
    std::vector<std::int64_t> up, down;
    for (std::int64_t offset = 0; offset < 500; ++offset) {
      up.push_back(offset * offset * 977);
      down.push_back(-up.back());
    }
    std::vector<double> ahead(up.size()), back(up.size());
    ASSERT_EQ(encoder.Similarity(up, ahead), Error::kNone);
    ASSERT_EQ(encoder.Similarity(down, back), Error::kNone);
    EXPECT_TRUE(SameRows(ahead, back, 1));
    EXPECT_EQ(ahead[0], static_cast<double>(dim / 2));
  }
}

// What it is for: the dot product of any two rows that far apart, whatever the layout and the rule for an odd dim.
TEST_P(Similarity, IsTheDotProductOfRows) {
  std::size_t index = 0;
  for (const std::size_t dim : Sizes{7, 64, 128}) {
    Spec spec = VariedSpec(dim, index += 3);
    if (dim % 2 != 0) spec.odd = OddDim::kZero;
    const Encoder encoder = MakeOrFail(spec);
    for (const std::int64_t start : {std::int64_t{-77}, std::int64_t{0}, std::int64_t{123456789012}}) {
      for (const std::int64_t offset : {0, 1, -2, 50, 100000}) {
        const std::vector<double> a = EncodeTable<double>(encoder, start, 1);
        const std::vector<double> b = EncodeTable<double>(encoder, start + offset, 1);
        double dot = 0.0, similarity = 0.0;
        for (std::size_t i = 0; i < dim; ++i) dot += a[i] * b[i];
        ASSERT_EQ(encoder.Similarity({&offset, 1}, {&similarity, 1}), Error::kNone);
        // dim products and sums of numbers below amplitude^2 * dim.
        const double bound = spec.amplitude * spec.amplitude * static_cast<double>(dim * dim) * 0x1p-52;
        EXPECT_NEAR(dot, similarity, bound) << Describe(spec) << " " << start << " " << offset;
      }
    }
  }
}

TEST_P(Similarity, RefusesWhatBreaksARule) {
  const Encoder encoder = MakeOrFail(SpecOf(6));
  std::int64_t offsets[4] = {1, 2, 3, 4};
  GuardedRows<double> out(4, 1);
  EXPECT_EQ(Encoder().Similarity(offsets, {out.data(), 4}), Error::kNotMade);
  EXPECT_EQ(encoder.Similarity(offsets, {out.data(), 3}), Error::kOffsetCount);
  EXPECT_EQ(encoder.Similarity({offsets, 3}, {out.data(), 4}), Error::kOffsetCount);
  for (const std::size_t dim : Sizes{1, 7}) {
    Spec odd = SpecOf(dim);
    odd.odd = OddDim::kDropCos;
    EXPECT_EQ(MakeOrFail(odd).Similarity(offsets, {out.data(), 4}), Error::kUnpairedSine);
  }
  EXPECT_TRUE(out.IsUntouched());
  double* const inside = reinterpret_cast<double*>(offsets);  // only its address is used
  EXPECT_EQ(encoder.Similarity({offsets, 2}, {inside, 2}), Error::kOffsetOverlap);
  EXPECT_EQ(encoder.Similarity({offsets, 2}, {inside + 1, 2}), Error::kOffsetOverlap);
  EXPECT_EQ(encoder.Similarity({offsets + 1, 2}, {inside, 2}), Error::kOffsetOverlap);
  EXPECT_EQ(offsets[0] + offsets[1] + offsets[2] + offsets[3], 10);
  EXPECT_EQ(encoder.Similarity({}, {}), Error::kNone);
  // No pairs at all: the sum of nothing.
  Spec zero = SpecOf(1);
  zero.odd = OddDim::kZero;
  double value = 1.0;
  EXPECT_EQ(MakeOrFail(zero).Similarity({offsets, 1}, {&value, 1}), Error::kNone);
  EXPECT_TRUE(Same(value, 0.0));
}

}  // namespace
}  // namespace posenc::test
