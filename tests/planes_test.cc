// Tests of Encoder::EncodePlanes on every target: the rows of sines and of cosines equal the rounded MPFR values
// whatever the Spec, the call and the place of the memory, and nothing else is written.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

class EncodePlanes : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(EncodePlanes);

std::size_t SinesOf(const Spec& spec) { return spec.odd == OddDim::kDropCos ? (spec.dim + 1) / 2 : spec.dim / 2; }
std::size_t CosinesOf(const Spec& spec) { return spec.dim / 2; }

// The planes as one table: what Layout::kSplit writes, sines first. layout and cos_first have no meaning for planes.
Spec SplitSpec(Spec spec) {
  spec.layout = Layout::kSplit;
  spec.cos_first = false;
  return spec;
}

template <class T>
struct Planes {
  Planes(const Spec& spec, std::size_t count, std::size_t sin_gap = 0, std::size_t cos_gap = 0, std::size_t offset = 0)
      : sin(SinesOf(spec), count, SinesOf(spec) + sin_gap, offset),
        cos(CosinesOf(spec), count, CosinesOf(spec) + cos_gap, 2 * offset) {}

  testing::AssertionResult Equal(const std::vector<T>& split_rows, std::size_t dim) const {
    for (std::size_t r = 0; r < sin.count(); ++r) {
      const T* const want = split_rows.data() + r * dim;
      for (std::size_t k = 0; k < sin.dim(); ++k) {
        if (!Same(sin.row(r)[k], want[k])) return Differs("sine", r, k, sin.row(r)[k], want[k]);
      }
      for (std::size_t k = 0; k < cos.dim(); ++k) {
        const T cosine = want[sin.dim() + k];
        if (!Same(cos.row(r)[k], cosine)) return Differs("cosine", r, k, cos.row(r)[k], cosine);
      }
    }
    if (const testing::AssertionResult intact = sin.GuardsAreIntact(); !intact) return intact;
    return cos.GuardsAreIntact();
  }

  testing::AssertionResult AreUntouched() const {
    if (const testing::AssertionResult untouched = sin.IsUntouched(); !untouched) return untouched;
    return cos.IsUntouched();
  }

  GuardedRows<T> sin;
  GuardedRows<T> cos;

 private:
  static testing::AssertionResult Differs(const char* wave, std::size_t row, std::size_t k, T got, T want) {
    return testing::AssertionFailure() << wave << " " << k << " of row " << row << ": got " << Describe(got)
                                       << ", want " << Describe(want);
  }
};

template <class T>
void ExpectRange(const Encoder& encoder, Reference& split, std::int64_t start, std::size_t count,
                 std::int64_t step = 1) {
  SCOPED_TRACE(testing::Message() << "start " << start << " count " << count << " step " << step << ", "
                                  << Describe(encoder.spec()));
  Planes<T> planes(encoder.spec(), count);
  ASSERT_EQ(encoder.EncodePlanes(start, planes.sin.rows(), planes.cos.rows(), step), Error::kNone);
  EXPECT_TRUE(planes.Equal(split.Range<T>(start, count, step), encoder.spec().dim));
}

TEST_P(EncodePlanes, IgnoresLayoutAndMeetsEveryOddRule) {
  for (const std::size_t dim : Sizes{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 65}) {
    for (const Spec& spec : PlacementSpecs(dim)) {
      const Encoder encoder = MakeOrFail(spec);
      Reference split(SplitSpec(spec));
      ForEveryType([&]<class T>() {
        ExpectRange<T>(encoder, split, -2, 5);
        ExpectRange<T>(encoder, split, -9, 19);
      });
    }
  }
}

TEST_P(EncodePlanes, MatchesMpfrForEveryValueField) {
  for (Spec spec : ValueSpecs()) {
    for (const bool cos_first : {false, true}) {
      spec.cos_first = cos_first;
      const Encoder encoder = MakeOrFail(spec);
      Reference split(SplitSpec(spec));
      ForEveryType([&]<class T>() {
        ExpectRange<T>(encoder, split, -9, 19);
        ExpectRange<T>(encoder, split, kMax - 17, 18);
      });
    }
  }
}

TEST_P(EncodePlanes, MatchesMpfrForStepsAndExtremes) {
  const struct {
    std::int64_t start;
    std::int64_t step;
    std::size_t count;
  } ranges[] = {{kMin, 1, 20}, {kMax, -1, 20},  {30, -1, 67}, {-50, 7, 70},
                {100, -3, 70}, {kMin, kMax, 3}, {0, kMin, 2}, {kMax, 0, 9}};
  std::size_t index = 0;
  for (const std::size_t dim : Sizes{18, 33, 128, 130}) {
    const Spec spec = VariedSpec(dim, ++index);
    const Encoder encoder = MakeOrFail(spec);
    Reference split(SplitSpec(spec));
    for (const auto& range : ranges) {
      ForEveryType([&]<class T>() { ExpectRange<T>(encoder, split, range.start, range.count, range.step); });
    }
  }
}

// Every offset and several strides, different ones for the two planes, for a range and for a list.
TEST_P(EncodePlanes, WritesOnlyItsRows) {
  for (const std::size_t dim : Sizes{1, 2, 5, 8, 17, 34, 64}) {
    const Spec spec = VariedSpec(dim, dim % 8);
    const Encoder encoder = MakeOrFail(spec);
    const Encoder split = MakeOrFail(SplitSpec(spec));
    ForEveryType([&]<class T>() {
      for (const std::size_t count : Sizes{1, 3, 37}) {
        const std::vector<T> want = EncodeTable<T>(split, -5, count);
        std::vector<std::int32_t> positions(count);
        for (std::size_t r = 0; r < count; ++r) positions[r] = static_cast<std::int32_t>(r) - 5;
        for (std::size_t offset = 0; offset < 9; ++offset) {
          for (const std::size_t gap : Sizes{0, 1, 16}) {
            SCOPED_TRACE(testing::Message() << Describe(spec) << " offset " << offset << " gap " << gap);
            Planes<T> range(spec, count, gap, gap / 2 + 3, offset);
            ASSERT_EQ(encoder.EncodePlanes(-5, range.sin.rows(), range.cos.rows()), Error::kNone);
            ASSERT_TRUE(range.Equal(want, dim));
            Planes<T> list(spec, count, gap / 2 + 3, gap, offset);
            ASSERT_EQ(encoder.EncodePlanes(std::span<const std::int32_t>(positions), list.sin.rows(), list.cos.rows()),
                      Error::kNone);
            ASSERT_TRUE(list.Equal(want, dim));
          }
        }
      }
    });
  }
}

template <class P>
void ExpectList(const Encoder& encoder, Reference& split, const std::vector<P>& positions) {
  ForEveryType([&]<class T>() {
    const Spec& spec = encoder.spec();
    Planes<T> planes(spec, positions.size());
    ASSERT_EQ(encoder.EncodePlanes(std::span<const P>(positions), planes.sin.rows(), planes.cos.rows()), Error::kNone);
    std::vector<T> want(positions.size() * spec.dim);
    for (std::size_t r = 0; r < positions.size(); ++r) split.Row(positions[r], want.data() + r * spec.dim);
    EXPECT_TRUE(planes.Equal(want, spec.dim)) << Describe(spec);
  });
}

// Runs inside a list, which a range writes, and what is between them; NaN rows.
TEST_P(EncodePlanes, MatchesMpfrForLists) {
  std::vector<std::int64_t> whole = {kMin, 5, kMax, -7};
  for (std::int64_t p = 0; p < 40; ++p) whole.push_back(p - 3);
  for (std::int64_t p = 0; p < 30; ++p) whole.push_back(1000 - p);
  whole.push_back(123456789);
  const std::vector<std::int32_t> narrow(whole.begin() + 4, whole.end());
  std::vector<double> fractional = {0.25, -0.0, std::numeric_limits<double>::quiet_NaN(), 0x1p63, -1e300 * 1e-290};
  fractional.insert(fractional.end(), whole.begin() + 4, whole.end());
  fractional.push_back(std::numeric_limits<double>::infinity());
  const std::vector<float> single(fractional.begin(), fractional.end());
  std::size_t index = 3;
  for (const std::size_t dim : Sizes{1, 6, 37, 66}) {
    const Spec spec = VariedSpec(dim, index += 2);
    const Encoder encoder = MakeOrFail(spec);
    Reference split(SplitSpec(spec));
    ExpectList(encoder, split, whole);
    ExpectList(encoder, split, narrow);
    ExpectList(encoder, split, fractional);
    ExpectList(encoder, split, single);
  }
}

// Large enough to be written past the caches, where both planes are aligned for it and where one of them is not.
TEST_P(EncodePlanes, WritesOnlyItsRowsInLargeTables) {
  constexpr std::size_t kDim = 512;
  Spec spec = SpecOf(kDim);
  ForEveryType([&]<class T>() {
    constexpr std::size_t kCount = (std::size_t{8} << 20) / (kDim * sizeof(T)) + 9;
    // Short ranges, which are not written so.
    std::vector<T> up(kCount * kDim);
    const Encoder split = MakeOrFail(SplitSpec(spec));
    for (std::size_t r = 0; r < kCount; r += 64) {
      const Rows<T> rows{up.data() + r * kDim, std::min<std::size_t>(64, kCount - r), 0};
      ASSERT_EQ(split.EncodeRange(static_cast<std::int64_t>(r) - 13, rows), Error::kNone);
    }
    std::vector<T> down;
    for (std::size_t r = kCount; r-- > 0;) {
      const T* const row = up.data() + r * kDim;
      down.insert(down.end(), row, row + kDim);
    }
    constexpr std::size_t kLine = 64 / sizeof(T);
    const struct {
      std::size_t sin_gap, cos_gap, offset;
    } places[] = {{0, 0, 0}, {kLine, 2 * kLine, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, kLine / 2}};
    for (const auto& place : places) {
      spec.cos_first = !spec.cos_first;
      const Encoder encoder = MakeOrFail(spec);
      SCOPED_TRACE(testing::Message() << Describe(spec) << " gaps " << place.sin_gap << " " << place.cos_gap
                                      << " offset " << place.offset);
      Planes<T> planes(spec, kCount, place.sin_gap, place.cos_gap, place.offset);
      ASSERT_EQ(encoder.EncodePlanes(-13, planes.sin.rows(), planes.cos.rows()), Error::kNone);
      ASSERT_TRUE(planes.Equal(up, kDim));
      const std::int64_t last = static_cast<std::int64_t>(kCount) - 14;
      ASSERT_EQ(encoder.EncodePlanes(last, planes.sin.rows(), planes.cos.rows(), -1), Error::kNone);
      ASSERT_TRUE(planes.Equal(down, kDim));
    }
  });
}

// Planes side by side in the rows of one table are the rows of kSplit, in both orders and with elements between.
TEST_P(EncodePlanes, LieSideBySideInOneTable) {
  for (const std::size_t dim : Sizes{6, 7, 40}) {
    Spec spec = SpecOf(dim);
    spec.odd = OddDim::kDropCos;
    const Encoder encoder = MakeOrFail(spec);
    const std::size_t sines = SinesOf(spec), cosines = CosinesOf(spec);
    ForEveryType([&]<class T>() {
      for (const bool cos_first : {false, true}) {
        Spec split_spec = SplitSpec(spec);
        split_spec.cos_first = cos_first;
        const std::vector<T> want = EncodeTable<T>(MakeOrFail(split_spec), -3, 21);
        GuardedRows<T> table(dim, 21, dim + 2);
        T* const sin = table.data() + (cos_first ? cosines : 0);
        T* const cos = table.data() + (cos_first ? 0 : sines);
        ASSERT_EQ(encoder.EncodePlanes(-3, Rows<T>{sin, 21, dim + 2}, Rows<T>{cos, 21, dim + 2}), Error::kNone);
        EXPECT_TRUE(SameRows(table.Packed(), want, dim));
        EXPECT_TRUE(table.GuardsAreIntact());
      }
    });
  }
}

// [sin h | sin w | cos h | cos w], as timm's default has it: the axes' planes in one table, here 3 x 4 cells.
TEST_P(EncodePlanes, WritesGlobalPlanesOfAGrid) {
  constexpr std::size_t kHeight = 3, kWidth = 4, kCells = kHeight * kWidth, kDim = 16;
  std::vector<std::int32_t> h, w;
  for (std::int32_t cell = 0; cell < std::int32_t{kCells}; ++cell) {
    h.push_back(cell / std::int32_t{kWidth});
    w.push_back(cell % std::int32_t{kWidth});
  }
  const Encoder axis = MakeOrFail(SpecOf(kDim / 2));
  std::vector<double> table(kCells * kDim);
  const auto rows = [&](std::size_t column) { return Rows<double>{table.data() + column, kCells, kDim}; };
  ASSERT_EQ(axis.EncodePlanes(std::span<const std::int32_t>(h), rows(0), rows(8)), Error::kNone);
  ASSERT_EQ(axis.EncodePlanes(std::span<const std::int32_t>(w), rows(4), rows(12)), Error::kNone);
  // timm_2d_default_d16_h1_w2, to the nine digits that it is printed with.
  const double want[kDim] = {0.841470985,  0.099833417, 0.009999833, 0.001000000, 0.909297427, 0.198669331,
                             0.019998667,  0.001999999, 0.540302306, 0.995004165, 0.999950000, 0.999999500,
                             -0.416146837, 0.980066578, 0.999800007, 0.999998000};
  for (std::size_t i = 0; i < kDim; ++i) EXPECT_NEAR(table[(1 * kWidth + 2) * kDim + i], want[i], 5.1e-10) << i;
}

TEST_P(EncodePlanes, RefusesWhatBreaksARule) {
  Spec spec = SpecOf(7);
  spec.odd = OddDim::kDropCos;  // 4 sines, 3 cosines
  const Encoder encoder = MakeOrFail(spec);
  ForEveryType([&]<class T>() {
    Planes<T> planes(spec, 3);
    const Rows<T> sin = planes.sin.rows(), cos = planes.cos.rows();
    const double positions[3] = {1.0, 2.0, 3.0};
    const auto expect = [&](Error want, const Rows<T>& s, const Rows<T>& c) {
      EXPECT_EQ(encoder.EncodePlanes(0, s, c), want) << Message(want);
      EXPECT_EQ(encoder.EncodePlanes(std::span<const double>(positions), s, c), want) << Message(want);
    };
    EXPECT_EQ(Encoder().EncodePlanes(0, sin, cos), Error::kNotMade);
    expect(Error::kPlaneCount, sin, {cos.data, 2, 0});
    expect(Error::kPlaneCount, {sin.data, 0, 0}, cos);
    expect(Error::kOutNull, {nullptr, 3, 0}, cos);
    expect(Error::kOutNull, sin, {nullptr, 3, 0});
    expect(Error::kOutStride, {sin.data, 3, 3}, cos);
    expect(Error::kOutStride, sin, {cos.data, 3, 2});
    expect(Error::kOutSize, {sin.data, 3, PTRDIFF_MAX / sizeof(T)}, cos);
    expect(Error::kOutSize, sin, {cos.data, 3, PTRDIFF_MAX / sizeof(T)});
    expect(Error::kPlaneOverlap, sin, {sin.data, 3, 0});
    expect(Error::kPlaneOverlap, sin, {sin.data + 11, 3, 0});
    expect(Error::kPlaneOverlap, {cos.data + 8, 3, 0}, cos);
    expect(Error::kPlaneOverlap, {sin.data, 3, 7}, {sin.data + 3, 3, 7});  // the last sine is the first cosine
    expect(Error::kPlaneOverlap, {sin.data, 3, 7}, {sin.data + 5, 3, 7});  // the last cosine is the next row's sine
    expect(Error::kPlaneOverlap, {sin.data + 2, 3, 7}, {sin.data, 3, 7});
    expect(Error::kPlaneOverlap, {sin.data + 4, 3, 7}, {sin.data, 3, 7});
    expect(Error::kPlaneOverlap, {sin.data, 3, 7}, {sin.data + 4, 3, 8});  // strides that differ
    EXPECT_EQ(encoder.EncodePlanes(kMax - 1, sin, cos), Error::kRange);
    EXPECT_EQ(encoder.EncodePlanes(std::span<const double>(positions, 2), sin, cos), Error::kPositionCount);
    const double far[3] = {1.0, 0x1.0000000000001p63, 3.0};
    EXPECT_EQ(encoder.EncodePlanes(std::span<const double>(far), sin, cos), Error::kPosition);
    EXPECT_TRUE(planes.AreUntouched());
  });
  // Positions inside a plane: doubles, whose rows have the alignment of positions.
  Planes<double> planes(spec, 3);
  for (const double* inside : {planes.sin.row(0), planes.sin.row(2) + 1, planes.cos.row(0), planes.cos.row(2)}) {
    EXPECT_EQ(encoder.EncodePlanes(std::span<const double>(inside, 3), planes.sin.rows(), planes.cos.rows()),
              Error::kPositionOverlap);
  }
  EXPECT_TRUE(planes.AreUntouched());
}

// No rows, and rows without elements: nothing is needed and nothing is written.
TEST_P(EncodePlanes, NeedsNoMemoryForNothing) {
  const Encoder encoder = MakeOrFail(SpecOf(6));
  const Rows<float> none;
  EXPECT_EQ(encoder.EncodePlanes(kMax, none, none), Error::kNone);
  EXPECT_EQ(encoder.EncodePlanes(std::span<const float>(), none, none), Error::kNone);
  for (const bool cos_first : {false, true}) {
    Spec spec = SpecOf(1);
    spec.cos_first = cos_first;
    spec.odd = OddDim::kDropCos;
    GuardedRows<float> sin(1, 20, 3);
    ASSERT_EQ(MakeOrFail(spec).EncodePlanes(2, sin.rows(), Rows<float>{nullptr, 20, 5}, -1), Error::kNone);
    EXPECT_TRUE(SameRows(sin.Packed(), EncodeTable<float>(MakeOrFail(spec), 2, 20, -1), 1));
    EXPECT_TRUE(sin.GuardsAreIntact());
    spec.odd = OddDim::kZero;
    EXPECT_EQ(MakeOrFail(spec).EncodePlanes(0, Rows<float>{nullptr, 3, 0}, Rows<float>{nullptr, 3, 5}), Error::kNone);
  }
}

}  // namespace
}  // namespace posenc::test
