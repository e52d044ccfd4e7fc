// Tests of tables beyond the size at which stores go past the caches: whatever their alignment, layout and type, the
// bits are those of the same rows written in pieces, and nothing between rows is touched.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rounding.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

constexpr std::size_t kBytes = std::size_t{9} << 20;  // streams from 8 MiB on

struct LargeTable {
  std::size_t dim;
  OddDim odd;
  std::size_t gap;     // elements between rows
  std::size_t offset;  // elements from a 64-byte boundary
};

constexpr LargeTable kTables[] = {{512, OddDim::kError, 0, 0},   {512, OddDim::kError, 0, 1},
                                  {130, OddDim::kError, 3, 0},   {770, OddDim::kError, 0, 5},
                                  {513, OddDim::kDropCos, 0, 1}, {97, OddDim::kZero, 31, 0}};

class LargeTables : public OnTarget {
 protected:
  // Calls check(encoder, table, count, start) for every table, layout and order.
  template <class T, class Check>
  static void ForEachTable(const Check& check) {
    for (const LargeTable& table : kTables) {
      for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
        for (const bool cos_first : {false, true}) {
          Spec spec = SpecOf(table.dim);
          spec.odd = table.odd;
          spec.layout = layout;
          spec.cos_first = cos_first;
          SCOPED_TRACE(Describe(spec) + " offset " + std::to_string(table.offset));
          const std::size_t count = kBytes / sizeof(T) / table.dim + 37;
          check(MakeOrFail(spec), table, count, -static_cast<std::int64_t>(count / 3));
        }
      }
    }
  }

  template <class T>
  static void ExpectSame(const GuardedRows<T>& got, const GuardedRows<T>& want) {
    EXPECT_TRUE(got.GuardsAreIntact());
    for (std::size_t r = 0; r < want.count(); ++r) {
      for (std::size_t i = 0; i < want.dim(); ++i) {
        ASSERT_TRUE(Same(got.row(r)[i], want.row(r)[i])) << "row " << r << " element " << i;
      }
    }
  }
};
POSENC_TEST_ON_EVERY_TARGET(LargeTables);

// Rows r .. of rows, at most 333: below the size that streams.
template <class T>
Rows<T> Piece(const Rows<T>& rows, std::size_t r) {
  return {rows.data + r * rows.stride, std::min<std::size_t>(333, rows.count - r), rows.stride, rows.stores};
}

TEST_P(LargeTables, HaveTheBitsOfTheirPieces) {
  ForEveryType([]<class T>() {
    ForEachTable<T>([](const Encoder& encoder, const LargeTable& table, std::size_t count, std::int64_t start) {
      GuardedRows<T> whole(table.dim, count, table.dim + table.gap, table.offset);
      GuardedRows<T> pieces(table.dim, count, table.dim + table.gap, table.offset);
      ASSERT_EQ(encoder.EncodeRange(start, whole.rows()), Error::kNone);
      for (std::size_t r = 0; r < count; r += 333) {
        ASSERT_EQ(encoder.EncodeRange(start + static_cast<std::int64_t>(r), Piece(pieces.rows(), r)), Error::kNone);
      }
      ExpectSame(whole, pieces);
    });
  });
}

// Small tables past the caches, large ones through them.
TEST_P(LargeTables, StoresChangeNoBit) {
  ForEveryType([]<class T>() {
    ForEachTable<T>([](const Encoder& encoder, const LargeTable& table, std::size_t large_count, std::int64_t start) {
      const bool large = table.dim == 130 && encoder.spec().cos_first;
      const std::size_t count = large ? large_count : 83;
      GuardedRows<T> want(table.dim, count, table.dim + table.gap, table.offset);
      ASSERT_EQ(encoder.EncodeRange(start, want.rows()), Error::kNone);
      for (const Stores stores : {Stores::kCached, Stores::kStreamed}) {
        GuardedRows<T> got(table.dim, count, table.dim + table.gap, table.offset);
        Rows<T> rows = got.rows();
        rows.stores = stores;
        ASSERT_EQ(encoder.EncodeRange(start, rows), Error::kNone);
        ExpectSame(got, want);
        // The same rows twice: the table and what is added to it.
        GuardedRows<T> sums(table.dim, count, table.dim + table.gap, table.offset);
        GuardedRows<T> want_sums(table.dim, count, table.dim + table.gap, table.offset);
        rows = sums.rows();
        rows.stores = stores;
        ASSERT_EQ(encoder.EncodeAddRange(start, -0.5, want.const_rows(), rows), Error::kNone);
        ASSERT_EQ(encoder.EncodeAddRange(start, -0.5, want.const_rows(), want_sums.rows()), Error::kNone);
        ExpectSame(sums, want_sums);
        ASSERT_EQ(
            encoder.EncodeAddRange(start, -0.5, got.const_rows(), {got.rows().data, count, got.rows().stride, stores}),
            Error::kNone);
        ExpectSame(got, want_sums);
      }
    });
  });
}

// Blocks that go past the caches from any frequency on, behind some whose angles are small and are written one by one.
TEST_P(LargeTables, BeginAnywhereBehindSmallAngles) {
  constexpr std::size_t kFrequencies = 64, kRows = 50;
  ForEveryType([&]<class T>() {
    for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
      for (std::size_t small = 1; small < kFrequencies; ++small) {
        Spec spec = SpecOf(2 * kFrequencies);
        spec.layout = layout;
        spec.inv_freq.assign(kFrequencies, 0.7);
        std::fill_n(spec.inv_freq.begin(), small, 0x1p-40);
        const Encoder encoder = MakeOrFail(spec);
        GuardedRows<T> got(2 * kFrequencies, kRows, 2 * kFrequencies, 0);
        GuardedRows<T> want(2 * kFrequencies, kRows, 2 * kFrequencies, 0);
        Rows<T> rows = got.rows();
        rows.stores = Stores::kStreamed;
        ASSERT_EQ(encoder.EncodeRange(3, rows), Error::kNone);
        for (std::size_t r = 0; r < kRows; ++r) {
          const Rows<T> row{want.rows().data + r * want.rows().stride, 1};
          ASSERT_EQ(encoder.EncodeRange(static_cast<std::int64_t>(3 + r), row), Error::kNone);
        }
        SCOPED_TRACE(Describe(spec) + " small " + std::to_string(small));
        ExpectSame(got, want);
      }
    }
  });
}

TEST_P(LargeTables, AddAsTheirPiecesDoAlsoInPlace) {
  ForEveryType([]<class T>() {
    ForEachTable<T>([](const Encoder& encoder, const LargeTable& table, std::size_t count, std::int64_t start) {
      GuardedRows<T> x(table.dim, count, table.dim + table.gap, table.offset);
      for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t i = 0; i < table.dim; ++i) {
          // Every bit pattern in turn, so NaN and infinity too.
          const std::uint64_t bits = (r * table.dim + i) * 0x9E3779B97F4A7C15u >> (64 - 8 * sizeof(T));
          x.data()[r * (table.dim + table.gap) + i] = FromBits<T>(static_cast<BitsOf<T>>(bits));
        }
      }
      GuardedRows<T> whole(table.dim, count, table.dim + table.gap, table.offset);
      GuardedRows<T> pieces(table.dim, count, table.dim + table.gap, table.offset);
      ASSERT_EQ(encoder.EncodeAddRange(start, 1.25, x.const_rows(), whole.rows()), Error::kNone);
      for (std::size_t r = 0; r < count; r += 333) {
        ASSERT_EQ(encoder.EncodeAddRange(start + static_cast<std::int64_t>(r), 1.25, Piece(x.const_rows(), r),
                                         Piece(pieces.rows(), r)),
                  Error::kNone);
      }
      ExpectSame(whole, pieces);
      ASSERT_EQ(encoder.EncodeAddRange(start, 1.25, x.const_rows(), x.rows()), Error::kNone);
      ExpectSame(x, pieces);
    });
  });
}

}  // namespace
}  // namespace posenc::test
