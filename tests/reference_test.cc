// Tests of the test room reference: its rounding against the conversions of the CPU and against known bits, its rows
// against values worked out elsewhere. (field_cases_test.cc holds many more such bits.)

#include "tests/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

template <class T>
BitsOf<T> Rounded(double value) {
  Real exact(53);
  mpfr_set_d(exact, value, MPFR_RNDN);
  return ToBits(RoundOnce<T>(exact));
}

TEST(RoundOnce, IsTheConversionOfTheCpuForFloat) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    std::uint64_t bits = random();
    // Half of them with an exponent that floats and their subnormals have, a quarter of those on a midpoint.
    if (i % 2 == 0) bits = (bits & ~(std::uint64_t{0x7FF} << 52)) | ((1023 - 155 + bits % 290) << 52);
    if (i % 8 == 0) bits = (bits & ~std::uint64_t{0x1FFFFFFF}) | 0x10000000;
    const auto value = FromBits<double>(bits);
    if (std::isnan(value)) continue;
    ASSERT_EQ(Rounded<float>(value), ToBits(static_cast<float>(value))) << Describe(value);
    ASSERT_EQ(Rounded<double>(value), bits) << Describe(value);
  }
}

TEST(RoundOnce, HasTheEdgesOfHalf) {
  EXPECT_EQ(Rounded<Half>(65504.0), 0x7BFF);
  EXPECT_EQ(Rounded<Half>(65519.996), 0x7BFF);
  EXPECT_EQ(Rounded<Half>(65520.0), 0x7C00) << "a tie, and 65504 is odd";
  EXPECT_EQ(Rounded<Half>(-1e300), 0xFC00);
  EXPECT_EQ(Rounded<Half>(0x1p-14), 0x0400);
  EXPECT_EQ(Rounded<Half>(0x1.ff8p-15), 0x03FF);
  EXPECT_EQ(Rounded<Half>(0x1.ffcp-15), 0x0400) << "a tie, and 0x3FF is odd";
  EXPECT_EQ(Rounded<Half>(0x1p-25), 0) << "a tie, and 0 is even";
  EXPECT_EQ(Rounded<Half>(-0x1.0000001p-25), 0x8001);
  EXPECT_EQ(Rounded<Half>(0x1.8p-24), 0x0002) << "a tie, and 1 is odd";
  EXPECT_EQ(Rounded<Half>(-0x1p-1000), 0x8000);
  EXPECT_EQ(Rounded<Half>(1.0 + 0x1p-11), 0x3C00);
  EXPECT_EQ(Rounded<Half>(1.0 + 0x3p-11), 0x3C02);
}

TEST(RoundOnce, HasTheEdgesOfBFloat16) {
  EXPECT_EQ(Rounded<BFloat16>(0x1.fep127), 0x7F7F);
  EXPECT_EQ(Rounded<BFloat16>(0x1.ffp127), 0x7F80) << "a tie, and the largest finite number is odd";
  EXPECT_EQ(Rounded<BFloat16>(0x1.fefffp127), 0x7F7F);
  EXPECT_EQ(Rounded<BFloat16>(0x1p-133), 0x0001);
  EXPECT_EQ(Rounded<BFloat16>(0x1p-134), 0x0000);
  EXPECT_EQ(Rounded<BFloat16>(0x1.8p-133), 0x0002);
  EXPECT_EQ(Rounded<BFloat16>(1.0 + 0x1p-8), 0x3F80);
  EXPECT_EQ(Rounded<BFloat16>(1.0 + 0x3p-8), 0x3F82);
  EXPECT_EQ(Rounded<BFloat16>(-0.0), 0x8000);
}

// Every value of a 16-bit type survives being widened and rounded back.
TEST(RoundOnce, GivesBackEvery16BitValue) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const BFloat16 brain{static_cast<std::uint16_t>(bits)};
    if (!IsNan(half)) {
      ASSERT_EQ(Rounded<Half>(ToDouble(half)), bits);
    }
    if (!IsNan(brain)) {
      ASSERT_EQ(Rounded<BFloat16>(ToDouble(brain)), bits);
    }
  }
  EXPECT_TRUE(std::isnan(ToDouble(Half{0x7E00})));
  EXPECT_EQ(ToDouble(Half{0xFC00}), -std::numeric_limits<double>::infinity());
}

TEST(Reference, HasTheFrequenciesOfTheFormula) {
  const auto frequency = [](const Spec& spec, std::size_t k) {
    return mpfr_get_d(Reference(spec).Frequency(k), MPFR_RNDN);
  };
  EXPECT_EQ(frequency(SpecOf(128), 0), 1.0);
  EXPECT_EQ(frequency(SpecOf(128), 1), 0x1.bb5fad00ab22cp-1);
  EXPECT_EQ(frequency(SpecOf(128), 63), 0x1.e459c57e28a47p-14);
  Spec spec = SpecOf(8);
  EXPECT_EQ(frequency(spec, 3), 0.001);
  spec.spacing = Spacing::kInclusive;
  EXPECT_EQ(frequency(spec, 3), 0.0001);
  spec = SpecOf(5, 32.0);
  spec.odd = OddDim::kDropCos;
  EXPECT_EQ(frequency(spec, 2), 0.0625) << "32^(-4/5)";
  spec.spacing = Spacing::kInclusive;
  spec.base = 8.0;
  EXPECT_EQ(frequency(spec, 1), 0.25) << "8^(-1/1.5)";
  spec.odd = OddDim::kZero;
  EXPECT_EQ(frequency(spec, 1), 0.125) << "8^(-1/1)";
}

TEST(Reference, AddsWithOneRounding) {
  Reference reference(SpecOf(4));
  const auto add = [&]<class T>(std::int64_t position, double scale, std::vector<T> x) {
    x.resize(4);
    std::vector<T> out(4);
    reference.AddRow(position, scale, x.data(), out.data());
    return out;
  };
  // Position 0 adds exactly (0, 1, 0, 1): ties are possible there, and only there.
  const std::vector<float> at0 = add(0, 1.0, std::vector<float>{-0.0f, 0x1p-24f, 0x1p127f, 0x1.8p-23f});
  EXPECT_EQ(ToBits(at0[0]), 0u) << "-0 + 0";
  EXPECT_EQ(at0[1], 1.0f) << "a tie to even";
  EXPECT_EQ(at0[2], 0x1p127f);
  EXPECT_EQ(at0[3], 1.0f + 0x1p-22f) << "a tie to even";
  // x_scale * x is the midpoint 1 + 2^-24 of two floats. The sine beside it, far below the last place of a double,
  // decides.
  for (const bool up : {false, true}) {
    Spec spec = SpecOf(2);
    spec.inv_freq = {up ? 1e-30 : -1e-30};
    Reference tiny(spec);
    const float one[] = {1.0f, 0.0f};
    float out[2];
    tiny.AddRow(1, 1.0 + 0x1p-24, one, out);
    EXPECT_EQ(out[0], up ? 1.0f + 0x1p-23f : 1.0f);
  }
  // 1 + cos is a tie less what the cosine of a tiny angle lacks of 1, far beyond the bits that the reference keeps.
  Spec spec = SpecOf(2);
  spec.inv_freq = {1e-300};
  Reference tiny(spec);
  const Half even_x[] = {Half{0}, FromBits<Half>(0x1400)};  // 2^-10
  Half half_out[2];
  tiny.AddRow(1, 0.5, even_x, half_out);
  EXPECT_EQ(half_out[1].bits, 0x3C00);
  const Half odd_x[] = {Half{0}, FromBits<Half>(0x1A00)};  // 3 * 2^-10
  tiny.AddRow(1, 0.5, odd_x, half_out);
  EXPECT_EQ(half_out[1].bits, 0x3C01) << "just below the tie that would go to 0x3C02";
  const std::vector<Half> large = add(3, 65504.0, std::vector<Half>{Half{0x3C00}, Half{0x3C00}, Half{0x4000}, Half{0}});
  EXPECT_EQ(large[0].bits, 0x7BFF);
  EXPECT_EQ(large[2].bits, 0x7C00);
  const std::vector<BFloat16> nan =
      add(1, 0.0, std::vector<BFloat16>{BFloat16{0x7F81}, BFloat16{0x7F80}, BFloat16{0x3F80}});
  EXPECT_TRUE(IsNan(nan[0]));
  EXPECT_TRUE(IsNan(nan[1])) << "0 * infinity";
  EXPECT_EQ(nan[2].bits, 0x3C24);
}

}  // namespace
}  // namespace posenc::test
