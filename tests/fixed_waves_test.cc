// Tests of the test room fixed waves: its values are within the bound that it states, and its rows are those of the
// reference.

#include "tests/fixed_waves.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

constexpr std::size_t kRows = 32;
constexpr std::int64_t kStarts[] = {0, 32, 4064, (std::int64_t{1} << 53) + 1, -1000};

TEST(FixedWaves, AreWithinTheirBound) {
  Reference reference(SpecOf(64));
  FixedWaves waves(reference, kRows);
  Real sin(Reference::kValueBits);
  Real cos(Reference::kValueBits);
  Real got(128);
  double worst = 0;
  for (const std::int64_t start : kStarts) {
    waves.SetStart(start);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t k = 0; k < 32; ++k) {
        reference.SinCos(start + static_cast<std::int64_t>(r), k, sin, cos);
        const FixedWave wave = waves.Wave(r, k);
        for (const auto& [exact, fixed] : {std::pair<mpfr_ptr, Fixed>(sin, wave.sin), {cos, wave.cos}}) {
          mpfr_set_sj(got, static_cast<std::int64_t>(fixed >> 64), MPFR_RNDN);
          mpfr_mul_2ui(got, got, 64, MPFR_RNDN);
          Real lower(64);
          mpfr_set_uj(lower, static_cast<std::uint64_t>(fixed), MPFR_RNDN);
          mpfr_add(got, got, lower, MPFR_RNDN);
          mpfr_mul_2ui(exact, exact, kFixedBits, MPFR_RNDN);
          mpfr_sub(exact, exact, got, MPFR_RNDN);
          worst = std::max(worst, std::abs(mpfr_get_d(exact, MPFR_RNDN)));
        }
      }
    }
  }
  EXPECT_LE(worst, 12);
  EXPECT_GT(worst, 0.1) << "nothing was compared";
}

TEST(FixedWaves, RoundAsTheReferenceDoes) {
  Reference reference(SpecOf(64));
  FixedWaves waves(reference, kRows);
  for (const std::int64_t start : kStarts) {
    SCOPED_TRACE(start);
    waves.SetStart(start);
    std::tuple<std::vector<float>, std::vector<double>, std::vector<Half>, std::vector<BFloat16>> tables;
    std::size_t decided[4] = {};
    std::apply(
        [&](auto&... table) {
          (table.resize(kRows * 64), ...);
          waves.Round(decided, table.data()...);
        },
        tables);
    for (const std::size_t count : decided) EXPECT_LE(count, 33u) << "beyond the sines of position 0";
    ForEveryType([&]<class T>() {
      EXPECT_TRUE(SameRows(std::get<std::vector<T>>(tables), reference.Range<T>(start, kRows), 64));
    });
  }
}

}  // namespace
}  // namespace posenc::test
