// Tests that every target gives the bits of every other one, on tables too large for MPFR in an everyday run: those of
// the last target of the list, the plainest, are what the others are compared with.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class Agreement : public OnTarget {
 protected:
  // Calls make() on the plainest target and on that of the test.
  template <class Make>
  static void ExpectSame(std::size_t dim, Make make) {
    using Table = decltype(make());
    Table plain;
    {
      const ForcedTarget forced(RunnableTargets().back());
      ASSERT_TRUE(forced.Took());
      plain = make();
    }
    const ForcedTarget forced(GetParam());
    ASSERT_TRUE(forced.Took());
    EXPECT_TRUE(SameRows(make(), plain, dim));
  }
};
POSENC_TEST_ON_EVERY_TARGET(Agreement);

TEST_P(Agreement, OfLargeTables) {
  for (const std::size_t dim : Sizes{128, 770}) {
    const Encoder encoder = MakeOrFail(SpecOf(dim));
    for (const std::int64_t start : {std::int64_t{-1000}, std::int64_t{1} << 31, (std::int64_t{1} << 62) + 11}) {
      ForEveryType([&]<class T>() { ExpectSame(dim, [&] { return EncodeTable<T>(encoder, start, 2500); }); });
    }
  }
}

TEST_P(Agreement, OfEveryPlacement) {
  for (const std::size_t dim : Sizes{22, 37}) {
    for (const Spec& spec : PlacementSpecs(dim)) {
      const Encoder encoder = MakeOrFail(spec);
      ForEveryType([&]<class T>() { ExpectSame(dim, [&] { return EncodeTable<T>(encoder, -500, 1200); }); });
    }
  }
}

TEST_P(Agreement, OfEveryValueField) {
  for (const Spec& spec : ValueSpecs()) {
    const Encoder encoder = MakeOrFail(spec);
    ForEveryType([&]<class T>() { ExpectSame(spec.dim, [&] { return EncodeTable<T>(encoder, -777, 1500); }); });
  }
}

TEST_P(Agreement, OfListsAndSums) {
  constexpr std::size_t kDim = 130;
  constexpr std::size_t kCount = 2000;
  const Encoder encoder = MakeOrFail(SpecOf(kDim));
  std::mt19937_64 random(11);
  std::vector<std::int64_t> whole(kCount);
  std::vector<double> fractional(kCount);
  for (std::int64_t& position : whole) position = static_cast<std::int64_t>(random() >> (1 + random() % 60));
  for (double& position : fractional) position = static_cast<double>(random() >> 11) * 0x1p-36;
  ForEveryType([&]<class T>() {
    const auto list = [&](const auto& positions) {
      std::vector<T> rows(kCount * kDim);
      const std::span span(positions);
      EXPECT_EQ(encoder.Encode(span, Rows<T>{rows.data(), kCount, 0}), Error::kNone);
      return rows;
    };
    const std::span<const std::int64_t> whole_span(whole);
    const std::span<const double> fractional_span(fractional);
    ExpectSame(kDim, [&] { return list(whole_span); });
    ExpectSame(kDim, [&] { return list(fractional_span); });
    ExpectSame(kDim, [&] {
      std::vector<T> rows = EncodeTable<T>(encoder, 17, kCount);
      const Rows<const T> x{rows.data(), kCount, 0};
      EXPECT_EQ(encoder.EncodeAddRange(5, 1.7, x, Rows<T>{rows.data(), kCount, 0}), Error::kNone);
      return rows;
    });
  });
}

}  // namespace
}  // namespace posenc::test
