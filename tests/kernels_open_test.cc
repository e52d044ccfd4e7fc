// Tests of what the rounding test leaves open: other values of eps change no bit, repair alone gives the rows that the
// kernels give, and as many elements go to repair as the distances between the values of a type say.
//
// The kernels read the fractions and radians of a grid, repair reads its turns. A grid with the turns of another Spec
// therefore shows who wrote an element: it has the value of this Spec or that of the other one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "src/grid.h"
#include "src/kernels.h"
#include "src/store.h"
#include "tests/list_positions.h"
#include "tests/rounding.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

template <class T>
constexpr ElementType kTypeOf = std::is_same_v<T, float>    ? ElementType::kFloat
                                : std::is_same_v<T, double> ? ElementType::kDouble
                                : std::is_same_v<T, Half>   ? ElementType::kHalf
                                                            : ElementType::kBFloat16;

struct TestedGrid {
  explicit TestedGrid(const Spec& spec) : dim(spec.dim) {
    EXPECT_EQ(FillGrid(spec, grid), Error::kNone);
    FillRotations(grid);
    EXPECT_FALSE(grid.is_extreme);
  }

  FrequencyGrid grid;
  std::size_t dim;
};

template <class T>
Output OutputTo(std::vector<T>& rows, std::size_t dim) {
  Output output;
  output.data = rows.data();
  output.row_bytes = static_cast<std::ptrdiff_t>(dim * sizeof(T));
  output.type = kTypeOf<T>;
  return output;
}

template <class T>
std::vector<T> RangeRows(const TestedGrid& tested, const RangePositions& range, bool bounce = false) {
  std::vector<T> rows(range.count * tested.dim, GuardedRows<T>::Sentinel());
  Output output = OutputTo(rows, tested.dim);
  output.bounce = bounce;
  EncodeRangeRows(tested.grid, range, output);
  return rows;
}

template <class T>
std::vector<T> ListRows(const TestedGrid& tested, const std::vector<ListPosition>& list) {
  std::vector<T> rows(list.size() * tested.dim, GuardedRows<T>::Sentinel());
  EncodeListRows(tested.grid, list.data(), list.size(), OutputTo(rows, tested.dim));
  return rows;
}

// Some positions of two spans from base on, none of them base itself, and their rows as sorted lists have them.
constexpr std::size_t kSortedCount = 110;
constexpr std::uint64_t SortedPlace(std::size_t i) { return 1 + 37 * i; }
constexpr std::size_t SortedRow(std::size_t i) { return 7 * i % kSortedCount; }

template <class T>
std::vector<T> SortedRows(const TestedGrid& tested, std::int64_t base) {
  std::uint32_t entries[kSortedCount], ends[2] = {};
  for (std::size_t i = 0; i < kSortedCount; ++i) {
    entries[i] = static_cast<std::uint32_t>(SortedPlace(i) << kSortedRowBits | SortedRow(i));
    ++ends[1];
    if (SortedPlace(i) < kSpanPositions) ++ends[0];
  }
  std::vector<T> rows(kSortedCount * tested.dim, GuardedRows<T>::Sentinel());
  EncodeSortedRows(tested.grid, {base, entries, ends, 2}, OutputTo(rows, tested.dim));
  return rows;
}

std::vector<ListPosition> SortedList(std::int64_t base) {
  std::vector<ListPosition> list(kSortedCount);
  for (std::size_t i = 0; i < kSortedCount; ++i) {
    list[SortedRow(i)] = ListPositionOf(base + static_cast<std::int64_t>(SortedPlace(i)));
  }
  return list;
}

// Multiples of a span: the ends of int64, and positions with small angles or without.
std::vector<std::int64_t> SortedBases() { return {0, INT64_MIN, INT64_MAX - 4095, -(std::int64_t{1} << 40)}; }

// Integers and fractions of every size, none of them below 1: position 0 never goes to repair.
std::vector<ListPosition> RandomList(std::size_t count, std::mt19937_64& random) {
  std::vector<ListPosition> list;
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 2 == 0) {
      list.push_back(ListPositionOf((static_cast<std::int64_t>(random()) >> (random() % 63)) | 1));
    } else {
      const double size = 1.0 + std::ldexp(static_cast<double>(random() >> 12), -static_cast<int>(random() % 50) - 2);
      list.push_back(ListPositionOf(random() % 2 == 0 ? size : -size));
    }
  }
  return list;
}

std::vector<Spec> OpenSpecs() {
  std::vector<Spec> specs = {SpecOf(128), SpecOf(70, 500000.0), SpecOf(65), SpecOf(96)};
  specs[1].layout = Layout::kSplit;
  specs[1].cos_first = true;
  specs[1].amplitude = -11.3;
  specs[2].odd = OddDim::kDropCos;
  specs[2].layout = Layout::kSplit;
  specs[2].position_scale = 6.283185307179586;
  specs[3].cos_first = true;
  specs[3].amplitude = 0x1.6a09e667f3bcdp-7;
  return specs;
}

// Ranges with and without small angles, on both sides of 0, stepped, and at the ends of int64.
std::vector<RangePositions> OpenRanges(std::size_t count) {
  return {{1, count, 1, 0},
          {-77, count, 1, 0},
          {std::int64_t{1} << 53, count, 1, 0},
          {INT64_MAX - static_cast<std::int64_t>(count) + 1, count, 1, 0},
          {INT64_MIN, count, 1, 0},
          {-5, count, 1000003, 17}};
}

class KernelsOpen : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(KernelsOpen);

TEST_P(KernelsOpen, OtherValuesOfEpsChangeNoBit) {
  std::mt19937_64 random(20260201);
  for (const Spec& spec : OpenSpecs()) {
    SCOPED_TRACE(Describe(spec));
    TestedGrid tested(spec);
    const double eps_scale = tested.grid.eps_scale;
    const std::vector<ListPosition> list = RandomList(80, random);
    ForEveryType([&]<class T>() {
      for (const RangePositions& range : OpenRanges(151)) {
        tested.grid.eps_scale = eps_scale;
        const std::vector<T> want = RangeRows<T>(tested, range), want_list = ListRows<T>(tested, list);
        for (const int exponent : {4, 9, 14, 60}) {
          SCOPED_TRACE(testing::Message() << "from " << range.first << " eps times 2^" << exponent);
          tested.grid.eps_scale = std::ldexp(eps_scale, exponent);
          EXPECT_TRUE(SameRows(RangeRows<T>(tested, range, false), want, spec.dim));
          EXPECT_TRUE(SameRows(RangeRows<T>(tested, range, true), want, spec.dim));
          if (range.first == 1) {
            EXPECT_TRUE(SameRows(ListRows<T>(tested, list), want_list, spec.dim));
          }
        }
      }
      tested.grid.eps_scale = eps_scale;
      if (std::is_same_v<T, double>) return;  // never sorted
      for (const std::int64_t base : SortedBases()) {
        const std::vector<T> want = ListRows<T>(tested, SortedList(base));
        for (const int exponent : {0, 4, 9, 14, 60}) {
          SCOPED_TRACE(testing::Message() << "sorted from " << base << " eps times 2^" << exponent);
          tested.grid.eps_scale = std::ldexp(eps_scale, exponent);
          EXPECT_TRUE(SameRows(SortedRows<T>(tested, base), want, spec.dim));
        }
        tested.grid.eps_scale = eps_scale;
      }
    });
  }
}

// A grid of the shape, the amplitude and the order of spec whose frequencies are from 1 to 2: it has small angles at no
// position from 1 on.
Spec FastSpec(const Spec& spec, std::size_t frequencies) {
  Spec fast = spec;
  fast.position_scale = 1.0;
  for (std::size_t k = 0; k < frequencies; ++k) {
    fast.inv_freq.push_back(1.0 + std::sqrt(static_cast<double>(k) + 0.5) /
                                      (std::sqrt(static_cast<double>(frequencies)) + 1));
  }
  return fast;
}

// The kernels run on other frequencies with an eps that leaves everything open. What comes out is of repair alone, and
// is what the kernels and their rounding test give for the spec whose turns repair reads.
template <class T>
std::size_t CompareRepairAlone(const TestedGrid& tested, const RangePositions& range,
                               const std::vector<ListPosition>& list, const Spec& spec) {
  TestedGrid other(FastSpec(spec, tested.grid.shape.sines));
  other.grid.turns = tested.grid.turns;
  other.grid.eps_scale = std::ldexp(other.grid.eps_scale, 60);
  EXPECT_TRUE(SameRows(RangeRows<T>(other, range), RangeRows<T>(tested, range), spec.dim)) << range.first;
  EXPECT_TRUE(SameRows(ListRows<T>(other, list), ListRows<T>(tested, list), spec.dim));
  return (range.count + list.size()) * spec.dim;
}

TEST_P(KernelsOpen, RepairAloneAgrees) {
  std::mt19937_64 random(20260202);
  std::size_t elements = 0;
  for (const Spec& spec : OpenSpecs()) {
    SCOPED_TRACE(Describe(spec));
    const TestedGrid tested(spec);
    for (RangePositions range : OpenRanges(150)) {
      if (range.step == 1 && range.first < 0 && range.first > -1000) range.first -= 1000;  // not position 0
      const std::vector<ListPosition> list = RandomList(60, random);
      ForEveryType([&]<class T>() { elements += CompareRepairAlone<T>(tested, range, list, spec); });
    }
  }
  std::printf("%s: %zu elements by repair alone\n", ActiveTarget(), elements);
  EXPECT_GE(elements, 1500000u);
}

// On the best target.
TEST(KernelsOpenMany, RepairAloneAgrees) {
  std::mt19937_64 random(20260203);
  std::size_t elements = 0;
  for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
    for (const std::int64_t first : {std::int64_t{1}, std::int64_t{1} << 40}) {
      Spec spec = SpecOf(512);
      spec.layout = layout;
      const TestedGrid tested(spec);
      const std::vector<ListPosition> list = RandomList(500, random);
      ForEveryType([&]<class T>() { elements += CompareRepairAlone<T>(tested, {first, 1000, 1, 0}, list, spec); });
    }
  }
  std::printf("%zu elements by repair alone\n", elements);
  EXPECT_GE(elements, 10000000u);
}

// How many of the standard table's elements go to repair, and how many should: one whose neighbours are 2^q apart is
// open with probability 2 * limit / 2^q, or always.
struct OpenCount {
  std::size_t elements = 0;
  std::size_t repaired = 0;
  std::size_t blocks = 0;  // of 16 rows and 32 frequencies, as the kernels test them
  std::size_t open_blocks = 0;
  double expected = 0.0;
};

constexpr std::size_t kDim = 512;
constexpr std::int64_t kChunkRows = 4096;

// Errors as the kernels state them (kEps, kSmallLimit, kSmallRadians): of values, and relative ones of the sines of
// angles below small_radians.
struct Limits {
  double value, small_sine, small_radians;
};
template <class T>
constexpr Limits kLimits =
    std::is_same_v<T, double> ? Limits{0x1p-97, 0x1p-92, 0x1p-20} : Limits{0x1p-49, 0x1p-50, 0x1p-11};

template <class T>
void CountOpen(const TestedGrid& tested, const TestedGrid& marked, std::int64_t first, OpenCount& count) {
  const RangePositions range{first, static_cast<std::size_t>(kChunkRows), 1, 0};
  const std::vector<T> want = RangeRows<T>(tested, range), got = RangeRows<T>(marked, range);
  constexpr std::size_t kBlockColumns = 2 * kGroup;
  std::vector<std::uint8_t> block_is_open(want.size() / kBlockColumns / kBlockRows);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const std::size_t row = i / kDim, column = i % kDim;
    const std::int64_t position = first + static_cast<std::int64_t>(row);
    const double size = std::fabs(ToDouble(want[i]));
    if (position != 0 && size != 0.0) {
      const double angle = static_cast<double>(position) * tested.grid.radians[column / 2];
      const double limit = column % 2 == 0 && angle < kLimits<T>.small_radians
                               ? size * kLimits<T>.small_sine
                               : marked.grid.eps_scale * kLimits<T>.value;
      count.expected += std::min(1.0, std::ldexp(limit, 1 - QuantumExponent<T>(std::ilogb(size))));
    }
    ++count.elements;
    if (Same(got[i], want[i])) continue;
    ++count.repaired;
    block_is_open[row / kBlockRows * (kDim / kBlockColumns) + column / kBlockColumns] = 1;
  }
  count.blocks += block_is_open.size();
  count.open_blocks += static_cast<std::size_t>(std::count(block_is_open.begin(), block_is_open.end(), 1));
}

// With the eps of the kernels times 2^eps_exponent.
template <class T>
void ExpectOpenRate(std::int64_t rows, int eps_exponent) {
  const Spec spec = SpecOf(kDim);
  const TestedGrid tested(spec), other(FastSpec(spec, kDim / 2));
  TestedGrid marked(spec);
  marked.grid.turns = other.grid.turns;
  marked.grid.eps_scale = std::ldexp(1.0, eps_exponent);
  OpenCount count;
  for (std::int64_t first = 0; first < rows; first += kChunkRows) CountOpen<T>(tested, marked, first, count);
  std::printf(
      "%s, %s, eps times 2^%d, %lld rows: %zu of %zu elements open, %.3g of them (expected: %.1f); %zu of %zu "
      "blocks\n",
      ActiveTarget(), Format<T>::kName, eps_exponent, static_cast<long long>(rows), count.repaired, count.elements,
      static_cast<double>(count.repaired) / static_cast<double>(count.elements), count.expected, count.open_blocks,
      count.blocks);
  testing::Test::RecordProperty(std::string(Format<T>::kName) + "_open_of_" + std::to_string(count.elements) +
                                    "_eps_2^" + std::to_string(eps_exponent),
                                static_cast<int>(count.repaired));
  // Four standard deviations. An element of 16 bits that repair gives the same value as the kernels is not seen: 1 in
  // 256 at most.
  const double tolerance = 4 * std::sqrt(count.expected) + count.expected / 256 + 1;
  EXPECT_LE(std::fabs(static_cast<double>(count.repaired) - count.expected), tolerance);
}

// As the table is used.
TEST_P(KernelsOpen, RateOfTheStandardTable) {
  ExpectOpenRate<float>(4096, 0);
  ExpectOpenRate<float>(65536, 0);
}

// With an eps that leaves one element in some thousands open, so that their number says what eps is.
TEST_P(KernelsOpen, RateIsThatOfEps) {
  ExpectOpenRate<float>(4096, 10);
  ExpectOpenRate<double>(4096, 32);
  ExpectOpenRate<Half>(4096, 22);
  ExpectOpenRate<BFloat16>(4096, 26);
}

}  // namespace
}  // namespace posenc::test
