// Tests of lists of integers that are near to each other, whose rows share anchors: on every target, each row is the
// one that the position gives alone, whatever stands beside it in the list.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rounding.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class SortedLists : public OnTarget {
 protected:
  // count integers from least on, below least + extent, in no order; some stand twice.
  std::vector<std::int64_t> Integers(std::size_t count, std::int64_t least, std::int64_t extent) {
    std::vector<std::int64_t> integers(count);
    for (std::int64_t& integer : integers) {
      integer = least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(extent));
    }
    integers[count / 2] = integers[0];
    integers[1] = least;
    integers[2] = least + (extent - 1);
    return integers;
  }

  // Rows of the list against those of each position alone.
  template <class T, class P>
  static void ExpectRowsAlone(const Encoder& encoder, const std::vector<P>& positions, bool is_aligned = false) {
    const std::size_t dim = encoder.spec().dim;
    GuardedRows<T> got(dim, positions.size(), is_aligned ? 0 : dim + 3, is_aligned ? 0 : 1);
    ASSERT_EQ(encoder.Encode<P>(std::span<const P>(positions), got.rows()), Error::kNone);
    EXPECT_TRUE(got.GuardsAreIntact());
    std::vector<T> want(dim);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      ASSERT_EQ(encoder.Encode<P>(std::span<const P>(&positions[r], 1), Rows<T>{want.data(), 1}), Error::kNone);
      for (std::size_t i = 0; i < dim; ++i) {
        ASSERT_TRUE(Same(got.row(r)[i], want[i])) << "position " << positions[r] << " element " << i << ": "
                                                  << Describe(got.row(r)[i]) << ", alone " << Describe(want[i]);
      }
    }
  }

  std::mt19937_64 random_{20260107};
};
POSENC_TEST_ON_EVERY_TARGET(SortedLists);

// Both ends of int64, both sides of 0, and the sizes of a call that the lists are cut into.
TEST_P(SortedLists, AreTheRowsAlone) {
  struct List {
    std::size_t count;
    std::int64_t least, extent;
  };
  const List lists[] = {{64, 0, 5000},
                        {300, -20000, 40000},
                        {200, INT64_MIN, 9000},
                        {200, INT64_MAX - 8999, 9000},
                        {2100, 1000000007, 131072},
                        {150, -(std::int64_t{1} << 53), 30000}};
  Spec scaled = SpecOf(130);
  scaled.amplitude = -1.75;
  scaled.position_scale = 0.001;
  scaled.cos_first = true;
  Spec odd = SpecOf(97);
  odd.odd = OddDim::kDropCos;
  odd.layout = Layout::kSplit;
  Spec zero = SpecOf(71);
  zero.odd = OddDim::kZero;
  Spec low = SpecOf(64, 1e12);  // most angles are small
  for (const Spec& spec : {SpecOf(128), scaled, odd, zero, low, SpecOf(2)}) {
    const Encoder encoder = MakeOrFail(spec);
    for (const List& list : lists) {
      SCOPED_TRACE(Describe(spec) + " from " + std::to_string(list.least));
      const std::vector<std::int64_t> positions = Integers(list.count, list.least, list.extent);
      ExpectRowsAlone<float>(encoder, positions);
      if (list.count > 1000) continue;
      ExpectRowsAlone<Half>(encoder, positions);
      ExpectRowsAlone<BFloat16>(encoder, positions);
    }
  }
}

TEST_P(SortedLists, OfEveryTypeOfPosition) {
  const Encoder encoder = MakeOrFail(SpecOf(96));
  const std::vector<std::int64_t> integers = Integers(200, -9000, 18000);
  std::vector<std::int32_t> words(integers.begin(), integers.end());
  std::vector<float> floats(integers.begin(), integers.end());
  std::vector<double> doubles(integers.begin(), integers.end());
  ExpectRowsAlone<float>(encoder, words);
  ExpectRowsAlone<float>(encoder, floats);
  ExpectRowsAlone<float>(encoder, doubles);
  // What no integer is leaves the list as it is.
  for (const double other : {-0.0, 0.5, 0x1p63, std::numeric_limits<double>::infinity()}) {
    doubles[77] = other;
    ExpectRowsAlone<float>(encoder, doubles);
  }
}

// From 8 MiB on lists go past the caches, sorted or not.
TEST_P(SortedLists, Large) {
  for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
    Spec spec = SpecOf(1024);
    spec.layout = layout;
    const Encoder encoder = MakeOrFail(spec);
    std::vector<std::int64_t> positions = Integers(4300, -300, 131072);
    ExpectRowsAlone<float>(encoder, positions, true);
    ExpectRowsAlone<BFloat16>(encoder, positions, true);
    for (std::int64_t& position : positions) position *= 1000003;
    positions.resize(2200);
    ExpectRowsAlone<float>(encoder, positions, true);
    positions.resize(1100);
    ExpectRowsAlone<double>(encoder, positions, true);
  }
}

TEST_P(SortedLists, AddedAndInPlanes) {
  for (const bool cos_first : {false, true}) {
    Spec spec = SpecOf(101);
    spec.odd = OddDim::kDropCos;
    spec.cos_first = cos_first;
    const Encoder encoder = MakeOrFail(spec);
    const std::vector<std::int64_t> positions = Integers(130, -4000, 8000);
    const std::size_t count = positions.size(), dim = spec.dim, pairs = dim / 2;
    std::vector<float> x(count * dim);
    for (float& value : x) value = static_cast<float>(static_cast<std::int64_t>(random_())) * 0x1p-62f;
    std::vector<float> sum(count * dim), sin(count * (pairs + 1)), cos(count * pairs), row(dim);
    ASSERT_EQ(encoder.EncodeAdd<std::int64_t>(std::span<const std::int64_t>(positions), 1.25,
                                              Rows<const float>{x.data(), count}, Rows<float>{sum.data(), count}),
              Error::kNone);
    ASSERT_EQ(encoder.EncodePlanes<std::int64_t>(std::span<const std::int64_t>(positions),
                                                 Rows<float>{sin.data(), count}, Rows<float>{cos.data(), count}),
              Error::kNone);
    for (std::size_t r = 0; r < count; ++r) {
      const std::span<const std::int64_t> alone(&positions[r], 1);
      ASSERT_EQ(
          encoder.EncodeAdd<std::int64_t>(alone, 1.25, Rows<const float>{&x[r * dim], 1}, Rows<float>{row.data(), 1}),
          Error::kNone);
      for (std::size_t i = 0; i < dim; ++i) ASSERT_TRUE(Same(sum[r * dim + i], row[i])) << positions[r] << " " << i;
      ASSERT_EQ(encoder.Encode<std::int64_t>(alone, Rows<float>{row.data(), 1}), Error::kNone);
      for (std::size_t k = 0; k < pairs; ++k) {
        ASSERT_TRUE(Same(sin[r * (pairs + 1) + k], row[2 * k + (cos_first ? 1 : 0)])) << positions[r] << " " << k;
        ASSERT_TRUE(Same(cos[r * pairs + k], row[2 * k + (cos_first ? 0 : 1)])) << positions[r] << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace posenc::test
