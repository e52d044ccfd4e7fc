// Tests of Encoder::EncodeRange on every target: rows equal the rounded MPFR rows whatever the Spec, the size and the
// place of the memory, and nothing else is written.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class EncodeRange : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(EncodeRange);

template <class T>
void ExpectRange(const Encoder& encoder, Reference& reference, std::int64_t start, std::size_t count,
                 std::int64_t step = 1) {
  SCOPED_TRACE(testing::Message() << "start " << start << " count " << count << " step " << step << ", "
                                  << Describe(encoder.spec()));
  EXPECT_TRUE(SameRows(EncodeTable<T>(encoder, start, count, step), reference.Range<T>(start, count, step),
                       encoder.spec().dim));
}

TEST_P(EncodeRange, PlacesEveryLayoutAndOddRule) {
  for (const std::size_t dim : Sizes{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33}) {
    for (const Spec& spec : PlacementSpecs(dim)) {
      const Encoder encoder = MakeOrFail(spec);
      Reference reference(spec);
      ForEveryType([&]<class T>() { ExpectRange<T>(encoder, reference, -2, 5); });
    }
  }
}

TEST_P(EncodeRange, MatchesMpfrForEveryValueField) {
  for (const Spec& spec : ValueSpecs()) {
    const Encoder encoder = MakeOrFail(spec);
    Reference reference(spec);
    ForEveryType([&]<class T>() {
      ExpectRange<T>(encoder, reference, -9, 19);
      ExpectRange<T>(encoder, reference, 1000000007, 18);
      ExpectRange<T>(encoder, reference, kMax - 17, 18);
    });
  }
}

// Sizes around every lane count and unrolling; the dims of real models.
TEST_P(EncodeRange, MatchesMpfrForEveryDim) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 1; dim <= 40; ++dim) dims.push_back(dim);
  for (const std::size_t dim : Sizes{64, 80, 96, 127, 128, 129, 130, 512, 770, 4096}) dims.push_back(dim);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Spec spec = VariedSpec(dims[i], i);
    const Encoder encoder = MakeOrFail(spec);
    Reference reference(spec);
    const std::size_t count = dims[i] > 512 ? 3 : 19;
    ForEveryType([&]<class T>() { ExpectRange<T>(encoder, reference, 4085 + static_cast<std::int64_t>(i), count); });
  }
}

// Counts and starts around blocks of 8, 16, 32 and 256 rows, none of them at the caller's convenience.
TEST_P(EncodeRange, MatchesMpfrForEveryCountAndStart) {
  const Spec spec = SpecOf(10);
  const Encoder encoder = MakeOrFail(spec);
  Reference reference(spec);
  constexpr std::int64_t kFirst = -300;
  const std::vector<float> want = reference.Range<float>(kFirst, 2200);
  const auto expect = [&](std::int64_t start, std::size_t count) {
    const std::size_t skipped = static_cast<std::size_t>(start - kFirst) * spec.dim;
    ASSERT_TRUE(SameRows<float>(EncodeTable<float>(encoder, start, count),
                                {want.begin() + static_cast<std::ptrdiff_t>(skipped),
                                 want.begin() + static_cast<std::ptrdiff_t>(skipped + count * spec.dim)},
                                spec.dim))
        << "start " << start << " count " << count;
  };
  for (std::size_t count = 0; count <= 40; ++count) {
    for (const std::int64_t start : {-40, -17, -8, -1, 0, 1, 7, 15, 16, 31, 255, 1023}) expect(start, count);
  }
  for (const std::size_t count : Sizes{63, 64, 65, 255, 256, 257, 300, 1023, 1024, 1025}) {
    for (const std::int64_t start : {-300, -257, -255, -128, -31, 0, 1, 13, 250, 256, 767}) expect(start, count);
  }
}

TEST_P(EncodeRange, MatchesMpfrAtTheExtremes) {
  const struct {
    std::int64_t start;
    std::int64_t step;
    std::size_t count;
  } ranges[] = {{kMin, 1, 40},
                {kMax - 39, 1, 40},
                {kMax, -1, 40},
                {kMin + 39, -1, 40},
                {kMin, kMax, 3},
                {kMax, kMin, 2},
                {0, kMin, 2},
                {-1, kMax, 2},
                {0, kMax, 2},
                {kMin, 0, 9},
                {kMax, 0, 9},
                {5, 0, 33},
                {-20, 2, 41},
                {100, -3, 70},
                {-50, 7, 40},
                {-3000009, 1000003, 40},
                {kMin, 0x7FFFFFFFFFFFFF, 257},
                {1, 256, 40},
                {-31, 32, 20},
                {1 << 24, 1, 20},
                {(std::int64_t{1} << 53) - 9, 1, 20},
                {-(std::int64_t{1} << 53) - 9, 1, 20}};
  for (const Spec& spec : {SpecOf(64), VariedSpec(18, 11)}) {
    const Encoder encoder = MakeOrFail(spec);
    Reference reference(spec);
    for (const auto& range : ranges) {
      ForEveryType([&]<class T>() { ExpectRange<T>(encoder, reference, range.start, range.count, range.step); });
    }
  }
}

TEST_P(EncodeRange, MatchesMpfrAtRandomPositions) {
  std::mt19937_64 random(20170612);
  const Spec spec = SpecOf(128);
  const Encoder encoder = MakeOrFail(spec);
  Reference reference(spec);
  for (int i = 0; i < 60; ++i) {
    // Every magnitude is as likely as any other.
    const auto start = static_cast<std::int64_t>(random()) >> (i % 64);
    ForEveryType([&]<class T>() { ExpectRange<T>(encoder, reference, start, start < kMax - 3 ? 3 : 1); });
  }
}

// Position 0 is exact, and negative positions mirror positive ones bit for bit.
// Blocks near 0 whose low frequencies make small angles, by vectors that have other angles too or not; sines that are
// subnormal, frequencies of 0 and below.
TEST_P(EncodeRange, MatchesMpfrAtSmallAngles) {
  std::vector<Spec> specs;
  for (const double base : {1e4, 5e6, 1e12}) {
    for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
      Spec spec = SpecOf(128);
      spec.base = base;
      spec.layout = layout;
      spec.cos_first = base == 5e6;
      spec.amplitude = base == 1e12 ? -3.0 : 1.0;
      specs.push_back(spec);
    }
  }
  Spec listed = SpecOf(140);
  for (int k = 0; k < 70; ++k) {
    const double sizes[] = {1e-3, 0.0, 1e-9, 1e-5, 3e-4, 1e-30, 2e-42};
    listed.inv_freq.push_back((k % 2 == 0 ? 1.0 : -1.0) * sizes[k / 10] * (1.0 + 0.01 * k));
  }
  specs.push_back(listed);
  // Angles at or next to the middles of subnormal floats, bfloat16s and halfs, and of normal floats; the sines are just
  // below.
  Spec ties = SpecOf(128);
  for (const double size : {0x1p-150, 0x1p-134, 0x1p-25, 0x1.000003p-26}) {
    ties.inv_freq.insert(ties.inv_freq.end(), 16, size);
  }
  specs.push_back(ties);
  for (const Spec& spec : specs) {
    const Encoder encoder = MakeOrFail(spec);
    Reference reference(spec);
    ForEveryType([&]<class T>() {
      ExpectRange<T>(encoder, reference, -20, 53);
      ExpectRange<T>(encoder, reference, 1600, 32);
      ExpectRange<T>(encoder, reference, -70, 70, 3);
    });
  }
}

TEST_P(EncodeRange, IsExactAtZeroAndMirrored) {
  for (const std::size_t dim : Sizes{2, 6, 30, 64, 512}) {
    const Encoder encoder = MakeOrFail(SpecOf(dim));
    ForEveryType([&]<class T>() {
      constexpr std::size_t kCount = 600;
      const T one = RoundOnce<T>([] {
        static Real value(2);
        mpfr_set_ui(value, 1, MPFR_RNDN);
        return static_cast<mpfr_srcptr>(value);
      }());
      for (const std::int64_t start : {std::int64_t{0}, kMax - std::int64_t{kCount} + 1}) {
        const std::vector<T> up = EncodeTable<T>(encoder, start, kCount);
        const std::vector<T> down = EncodeTable<T>(encoder, -start, kCount, -1);
        for (std::size_t i = 0; i < up.size(); ++i) {
          const bool sine = i % 2 == 0;
          if (start == 0 && i < dim) {
            ASSERT_EQ(ToBits(up[i]), sine ? 0 : ToBits(one)) << i;
            ASSERT_EQ(ToBits(down[i]), ToBits(up[i])) << i;
          } else {
            ASSERT_EQ(ToBits(down[i]), ToBits(up[i]) ^ (sine ? SignBit<T>() : 0)) << i;
          }
        }
      }
    });
  }
}

// Every offset from a cache line, with strides beyond dim: the values are those of packed rows and nothing else
// changes.
TEST_P(EncodeRange, WritesOnlyItsRows) {
  for (const std::size_t dim : Sizes{1, 2, 5, 8, 16, 17, 34, 64}) {
    const Spec spec = VariedSpec(dim, dim % 8);
    const Encoder encoder = MakeOrFail(spec);
    ForEveryType([&]<class T>() {
      for (const std::size_t count : Sizes{1, 3, 37}) {
        const std::vector<T> want = EncodeTable<T>(encoder, -5, count);
        for (std::size_t offset = 0; offset < 16; ++offset) {
          for (const std::size_t gap : Sizes{0, 1, 3, 16}) {
            GuardedRows<T> out(dim, count, dim + gap, offset);
            ASSERT_EQ(encoder.EncodeRange(-5, out.rows()), Error::kNone);
            ASSERT_TRUE(SameRows(out.Packed(), want, dim)) << Describe(spec) << " offset " << offset << " gap " << gap;
            ASSERT_TRUE(out.GuardsAreIntact()) << Describe(spec) << " offset " << offset << " gap " << gap;
          }
        }
      }
    });
  }
}

// A table large enough for other ways to store it, at an odd place.
TEST_P(EncodeRange, WritesOnlyItsRowsInALargeTable) {
  constexpr std::size_t kDim = 512;
  constexpr std::size_t kCount = 16400;
  const Spec spec = SpecOf(kDim);
  const Encoder encoder = MakeOrFail(spec);
  GuardedRows<float> out(kDim, kCount, kDim + 5, 3);
  ASSERT_EQ(encoder.EncodeRange(-13, out.rows()), Error::kNone);
  EXPECT_TRUE(out.GuardsAreIntact());
  Reference reference(spec);
  for (std::size_t r = 0; r < kCount; r += r < 40 || r > kCount - 40 ? 1 : 409) {
    std::vector<float> want(kDim);
    reference.Row(static_cast<std::int64_t>(r) - 13, want.data());
    ASSERT_TRUE(SameRows(std::span<const float>(out.row(r), kDim), std::span<const float>(want), kDim)) << "row " << r;
  }
}

// The bits of a row do not depend on the call that it comes from.
TEST_P(EncodeRange, RowsDoNotDependOnTheCall) {
  for (const std::size_t dim : Sizes{6, 40, 258}) {
    const Encoder encoder = MakeOrFail(SpecOf(dim));
    ForEveryType([&]<class T>() {
      constexpr std::size_t kCount = 700;
      for (const std::int64_t start : {std::int64_t{-350}, std::int64_t{1} << 40, kMin, kMax - 699}) {
        const std::vector<T> whole = EncodeTable<T>(encoder, start, kCount);
        std::vector<T> single;
        for (std::size_t r = 0; r < kCount; ++r) {
          const std::vector<T> row = EncodeTable<T>(encoder, start + static_cast<std::int64_t>(r), 1);
          single.insert(single.end(), row.begin(), row.end());
        }
        ASSERT_TRUE(SameRows(single, whole, dim)) << "single rows";
        std::vector<T> chunked;
        for (std::size_t r = 0, size = 1; r < kCount; r += size, size = size * 2 % 61) {
          const std::vector<T> rows =
              EncodeTable<T>(encoder, start + static_cast<std::int64_t>(r), std::min(size, kCount - r));
          chunked.insert(chunked.end(), rows.begin(), rows.end());
        }
        ASSERT_TRUE(SameRows(chunked, whole, dim)) << "chunks";
        for (const std::int64_t step : {-1, 2, 3, 16, 32, 100, -37}) {
          const std::int64_t first = step > 0 ? start : start + static_cast<std::int64_t>(kCount - 1);
          const std::size_t count = (kCount - 1) / static_cast<std::size_t>(std::abs(step)) + 1;
          std::vector<T> want;
          for (std::size_t r = 0; r < count; ++r) {
            const auto at = static_cast<std::ptrdiff_t>(
                static_cast<std::size_t>(first - start + static_cast<std::int64_t>(r) * step) * dim);
            want.insert(want.end(), whole.begin() + at, whole.begin() + at + static_cast<std::ptrdiff_t>(dim));
          }
          ASSERT_TRUE(SameRows(EncodeTable<T>(encoder, first, count, step), want, dim)) << "step " << step;
        }
      }
    });
  }
}

// Two encoders of one Spec give the same bits, and so do a list of frequencies and the base that it stands for.
TEST_P(EncodeRange, DoesNotDependOnTheEncoder) {
  Spec listed = SpecOf(8, 16.0);  // base^(-k/4) = 2^-k
  listed.inv_freq = {1.0, 0.5, 0.25, 0.125};
  Spec scaled = SpecOf(8, 16.0);
  scaled.position_scale = 0.5;
  ForEveryType([&]<class T>() {
    const std::vector<T> rows = EncodeTable<T>(MakeOrFail(SpecOf(8, 16.0)), -77, 300);
    EXPECT_TRUE(SameRows(EncodeTable<T>(MakeOrFail(listed), -77, 300), rows, 8));
    EXPECT_TRUE(SameRows(EncodeTable<T>(MakeOrFail(scaled), -154, 300, 2), rows, 8));
  });
}

}  // namespace
}  // namespace posenc::test
