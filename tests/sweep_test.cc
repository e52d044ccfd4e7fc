// Exhaustive tests of EncodeRange: every element of every type on every target equals the correctly rounded value, for
// all positions below 4096 at every even dim up to 512, and for all positions below 2^20 at dim 512. Values near a
// midpoint of two neighbours, where a rounding is hard to get right, are found on the way and decided by MPFR.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <tuple>
#include <vector>

#include "tests/fixed_waves.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

// Compares blocks of positions with the library, in every type and on every target.
class Sweep : public testing::Test {
 protected:
  void CheckRows(const Encoder& encoder, FixedWaves& waves, std::int64_t first, std::size_t blocks) {
    const std::size_t dim = encoder.spec().dim;
    const std::size_t size = blocks * waves.rows() * dim;
    std::apply(
        [&](auto&... table) {
          (table.resize(size), ...);
          for (std::size_t row = 0; row < blocks * waves.rows(); row += waves.rows()) {
            waves.SetStart(first + static_cast<std::int64_t>(row));
            waves.Round(decided_, table.data() + row * dim...);
          }
        },
        want_);
    elements_ += size;
    ForEveryTarget([&] {
      ForEveryType([&]<class T>() {
        const std::vector<T>& want = std::get<std::vector<T>>(want_);
        std::vector<T>& got = std::get<std::vector<T>>(got_);
        got.resize(size);
        ASSERT_EQ(encoder.EncodeRange(first, Rows<T>{got.data(), size / dim, 0}), Error::kNone);
        if (std::memcmp(got.data(), want.data(), size * sizeof(T)) == 0) return;
        EXPECT_TRUE(SameRows(got, want, dim)) << "dim " << dim << " from position " << first;
      });
    });
  }

  void TearDown() override {
    std::printf(
        "%zu elements of each type; near a midpoint and decided by MPFR: float %zu, double %zu, Half %zu, "
        "BFloat16 %zu\n",
        elements_, decided_[0], decided_[1], decided_[2], decided_[3]);
  }

  using Tables = std::tuple<std::vector<float>, std::vector<double>, std::vector<Half>, std::vector<BFloat16>>;
  Tables want_;
  Tables got_;
  std::size_t elements_ = 0;
  std::size_t decided_[4] = {};
};

TEST_F(Sweep, PositionsBelow4096AtEveryEvenDim) {
  for (std::size_t dim = 2; dim <= 512 && !HasFailure(); dim += 2) {
    const Encoder encoder = MakeOrFail(SpecOf(dim));
    Reference reference(SpecOf(dim));
    FixedWaves waves(reference, 64);
    CheckRows(encoder, waves, 0, 64);
  }
}

TEST_F(Sweep, PositionsBelow2To20AtDim512) {
  constexpr std::size_t kRows = 1024;
  const Encoder encoder = MakeOrFail(SpecOf(512));
  Reference reference(SpecOf(512));
  FixedWaves waves(reference, kRows);
  for (std::int64_t block = 0; block < 1024 && !HasFailure(); ++block) {
    CheckRows(encoder, waves, block * std::int64_t{kRows}, 1);
  }
  // 9.2 * 2 * 2^-49 * 2^24 of the values of random angles are that near; far fewer would mean a broken search.
  EXPECT_GT(decided_[0], 200u);
}

}  // namespace
}  // namespace posenc::test
