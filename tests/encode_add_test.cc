// Tests of Encoder::EncodeAddRange and EncodeAdd on every target: x_scale * x + PE with one rounding of the exact sum,
// in place and out of place, and nothing else written.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class EncodeAdd : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(EncodeAdd);

// Fills rows with embeddings: mostly of the size of encodings, some tiny, huge, zero or on the way to cancel.
template <class T>
void FillWithEmbeddings(GuardedRows<T>& x, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t r = 0; r < x.count(); ++r) {
    for (std::size_t c = 0; c < x.dim(); ++c) {
      const std::uint64_t bits = random();
      Real value(53);
      mpfr_set_d(value, static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-62, MPFR_RNDN);
      if (bits % 16 == 1) mpfr_mul_2si(value, value, static_cast<long>(bits / 16 % 60) - 40, MPFR_RNDN);
      if (bits % 16 == 2) mpfr_set_zero(value, bits % 32 == 2 ? 1 : -1);
      x.data()[static_cast<std::size_t>(x.row(r) - x.data()) + c] = RoundOnce<T>(value);
    }
  }
}

template <class T>
std::vector<T> Expected(const Spec& spec, std::int64_t start, std::int64_t step, double x_scale,
                        const GuardedRows<T>& x) {
  Reference reference(spec);
  std::vector<T> want(x.count() * spec.dim);
  for (std::size_t r = 0; r < x.count(); ++r) {
    reference.AddRow(start + static_cast<std::int64_t>(r) * step, x_scale, x.row(r), want.data() + r * spec.dim);
  }
  return want;
}

template <class T>
void ExpectAdd(const Spec& spec, std::int64_t start, std::int64_t step, double x_scale, GuardedRows<T>& x) {
  SCOPED_TRACE(testing::Message() << Describe(spec) << " start " << start << " step " << step << " scale " << x_scale);
  const Encoder encoder = MakeOrFail(spec);
  const std::vector<T> want = Expected(spec, start, step, x_scale, x);
  const std::vector<T> before = x.Packed();
  GuardedRows<T> out(spec.dim, x.count(), spec.dim + 3, 5);
  ASSERT_EQ(encoder.EncodeAddRange(start, x_scale, x.const_rows(), out.rows(), step), Error::kNone);
  EXPECT_TRUE(SameRows(out.Packed(), want, spec.dim)) << "out of place";
  EXPECT_TRUE(out.GuardsAreIntact());
  EXPECT_TRUE(SameRows(x.Packed(), before, spec.dim)) << "x was changed";

  std::vector<std::int64_t> positions;
  for (std::size_t r = 0; r < x.count(); ++r) positions.push_back(start + static_cast<std::int64_t>(r) * step);
  GuardedRows<T> listed(spec.dim, x.count());
  const std::span<const std::int64_t> list(positions);
  ASSERT_EQ(encoder.EncodeAdd(list, x_scale, x.const_rows(), listed.rows()), Error::kNone);
  EXPECT_TRUE(SameRows(listed.Packed(), want, spec.dim)) << "as a list";
  EXPECT_TRUE(listed.GuardsAreIntact());

  ASSERT_EQ(encoder.EncodeAddRange(start, x_scale, x.const_rows(), x.rows(), step), Error::kNone);
  EXPECT_TRUE(SameRows(x.Packed(), want, spec.dim)) << "in place";
  EXPECT_TRUE(x.GuardsAreIntact());
}

TEST_P(EncodeAdd, MatchesMpfrForEveryDim) {
  for (std::size_t dim = 1; dim <= 40; ++dim) {
    ForEveryType([&]<class T>() {
      GuardedRows<T> x(dim, 5, dim + dim % 3, dim % 16);
      FillWithEmbeddings(x, dim);
      ExpectAdd(VariedSpec(dim, dim), 4090, 1, dim % 2 == 0 ? 1.0 : std::sqrt(static_cast<double>(dim)), x);
    });
  }
}

TEST_P(EncodeAdd, MatchesMpfrForEveryCountAndStep) {
  const Spec spec = SpecOf(18);
  for (const std::size_t count : Sizes{0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 40, 65}) {
    for (const std::int64_t step : {1, -1, 3}) {
      ForEveryType([&]<class T>() {
        GuardedRows<T> x(18, count, 18, count % 16);
        FillWithEmbeddings(x, count);
        ExpectAdd(spec, -11, step, -0.75, x);
      });
    }
  }
}

// Whole blocks in every layout and order, of one group of frequencies and of more than go in turn: 256, and whole
// vectors that are no strip behind them.
TEST_P(EncodeAdd, MatchesMpfrInWholeBlocks) {
  for (const std::size_t dim : Sizes{66, 560}) {
    for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
      for (const bool cos_first : {false, true}) {
        Spec spec = SpecOf(dim);
        spec.layout = layout;
        spec.cos_first = cos_first;
        ForEveryType([&]<class T>() {
          GuardedRows<T> x(dim, 37);
          FillWithEmbeddings(x, dim);
          ExpectAdd(spec, -20, 1, 0.75, x);
        });
      }
    }
  }
}

TEST_P(EncodeAdd, MatchesMpfrForEveryValueField) {
  std::size_t seed = 0;
  for (const Spec& spec : ValueSpecs()) {
    for (const double x_scale : {1.0, 0.0, 22.627416997969522, 1e-30}) {
      ForEveryType([&]<class T>() {
        GuardedRows<T> x(spec.dim, 4);
        FillWithEmbeddings(x, ++seed);
        ExpectAdd(spec, -1, 1, x_scale, x);
      });
    }
  }
}

// Position 0 adds exactly 0 and 1: sums that are ties, and zeros of both signs.
TEST_P(EncodeAdd, TiesGoToEven) {
  ForEveryType([&]<class T>() {
    for (const double x_scale : {1.0, -1.0, 0.5, 1.0 + 0x1p-30}) {
      GuardedRows<T> x(64, 3);
      const double half_ulp = std::ldexp(1.0, -Format<T>::kPrecision);
      for (std::size_t i = 0; i < 3 * 64; ++i) {
        Real value(53);
        mpfr_set_d(value, half_ulp * (static_cast<double>(i) - 90.0) * (i % 3 == 0 ? 0.5 : 1.0), MPFR_RNDN);
        x.data()[i] = RoundOnce<T>(value);
      }
      ExpectAdd(SpecOf(64), 0, 0, x_scale, x);
    }
  });
}

// x is the rounded encoding with its sign changed: what is left of the sum is the error of that rounding.
TEST_P(EncodeAdd, CancellationKeepsEveryBit) {
  for (const std::int64_t start : {std::int64_t{1}, std::int64_t{131072}, std::int64_t{1} << 50}) {
    ForEveryType([&]<class T>() {
      const Spec spec = SpecOf(32);
      const std::vector<T> rows = EncodeTable<T>(MakeOrFail(spec), start, 9);
      GuardedRows<T> x(32, 9);
      std::copy(rows.begin(), rows.end(), x.data());
      ExpectAdd(spec, start, 1, -1.0, x);
    });
  }
}

TEST_P(EncodeAdd, LargeSumsOverflowAsIeeeSays) {
  ForEveryType([&]<class T>() {
    const T largest = FromBits<T>(static_cast<BitsOf<T>>(InfinityBits<T>() - 1));
    for (const double x_scale : {1.0, -1.0, 1.0 + 0x1p-12, 2.0, 1e300}) {
      GuardedRows<T> x(16, 4);
      for (std::size_t i = 0; i < 64; ++i) x.data()[i] = largest;
      ExpectAdd(SpecOf(16), 0, 1, x_scale, x);
    }
  });
}

TEST_P(EncodeAdd, NansAndInfinitiesStayThemselves) {
  ForEveryType([&]<class T>() {
    for (const double x_scale : {1.0, -2.0, 0.0}) {
      GuardedRows<T> x(34, 20);
      FillWithEmbeddings(x, 1);
      const BitsOf<T> infinity = InfinityBits<T>();
      const BitsOf<T> odd[] = {infinity, static_cast<BitsOf<T>>(infinity | SignBit<T>()),
                               static_cast<BitsOf<T>>(infinity + 1), static_cast<BitsOf<T>>(SignBit<T>() - 1),
                               static_cast<BitsOf<T>>(~BitsOf<T>{0})};
      for (std::size_t i = 0; i < 20 * 34; i += 7) x.data()[i] = FromBits<T>(odd[i % 5]);
      ExpectAdd(SpecOf(34), -3, 1, x_scale, x);
    }
  });
}

TEST_P(EncodeAdd, PositionsThatAreNotFiniteGiveNans) {
  const double positions[] = {2.5, std::nan(""), -std::numeric_limits<double>::infinity(), 7.0};
  ForEveryType([&]<class T>() {
    const Spec spec = SpecOf(20);
    GuardedRows<T> x(20, 4);
    FillWithEmbeddings(x, 4);
    Reference reference(spec);
    std::vector<T> want(80);
    for (std::size_t r = 0; r < 4; ++r) reference.AddRow(positions[r], 1.5, x.row(r), want.data() + 20 * r);
    const std::span<const double> list(positions);
    ASSERT_EQ(MakeOrFail(spec).EncodeAdd(list, 1.5, x.const_rows(), x.rows()), Error::kNone);
    EXPECT_TRUE(SameRows(x.Packed(), want, 20));
    EXPECT_TRUE(x.GuardsAreIntact());
  });
}

// Random sums of every size of x, checked in bulk.
TEST_P(EncodeAdd, MatchesMpfrInBulk) {
  ForEveryType([&]<class T>() {
    GuardedRows<T> x(128, 97, 130, 1);
    FillWithEmbeddings(x, 99);
    ExpectAdd(SpecOf(128), 70000, 1, 11.313708498984761, x);
  });
}

TEST_P(EncodeAdd, RefusesRowsThatOverlap) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  std::array<float, 64> before;
  before.fill(2.0f);
  std::array<float, 64> memory = before;
  const auto add = [&](std::size_t x_at, std::size_t x_stride, std::size_t out_at, std::size_t out_stride) {
    memory = before;
    return encoder.EncodeAddRange(3, 1.0, Rows<const float>{memory.data() + x_at, 3, x_stride},
                                  Rows<float>{memory.data() + out_at, 3, out_stride});
  };
  for (const std::size_t at : Sizes{1, 3, 4, 8, 11}) {
    EXPECT_EQ(add(0, 0, at, 0), Error::kXOverlap) << at;
    EXPECT_EQ(memory, before);
    EXPECT_EQ(add(at, 0, 0, 0), Error::kXOverlap) << at;
    EXPECT_EQ(memory, before);
  }
  EXPECT_EQ(add(0, 5, 0, 6), Error::kXOverlap) << "the same data, another stride";
  EXPECT_EQ(memory, before);
  EXPECT_EQ(add(0, 0, 0, 4), Error::kNone) << "stride 0 is dim";
  EXPECT_EQ(add(0, 0, 12, 0), Error::kNone) << "neighbours";
  EXPECT_EQ(add(12, 0, 0, 0), Error::kNone);
}

TEST_P(EncodeAdd, RefusesWhatItCannotDo) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  GuardedRows<float> x(4, 3);
  GuardedRows<float> out(4, 3);
  const auto expect = [&](Error want, Rows<const float> rows, double x_scale = 1.0, std::int64_t start = 0) {
    EXPECT_EQ(encoder.EncodeAddRange(start, x_scale, rows, out.rows()), want);
  };
  expect(Error::kXNull, {nullptr, 3, 0});
  expect(Error::kXCount, {x.data(), 2, 0});
  expect(Error::kXCount, {x.data(), 4, 0});
  expect(Error::kXStride, {x.data(), 3, 3});
  expect(Error::kXSize, {x.data(), 3, std::size_t{1} << 62});
  expect(Error::kXScale, x.const_rows(), std::nan(""));
  expect(Error::kXScale, x.const_rows(), -std::numeric_limits<double>::infinity());
  expect(Error::kRange, x.const_rows(), 1.0, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Encoder().EncodeAddRange(0, 1.0, x.const_rows(), out.rows()), Error::kNotMade);
  const double beyond[] = {1.0, -0x1.8p63, 2.0};
  EXPECT_EQ(encoder.EncodeAdd(std::span<const double>(beyond), 1.0, x.const_rows(), out.rows()), Error::kPosition);
  EXPECT_TRUE(out.IsUntouched());
}

}  // namespace
}  // namespace posenc::test
