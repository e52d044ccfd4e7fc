// Room kernels: the anchors of a group of frequencies go in, the rows of a range that no whole block has go to the
// store, of any type of elements: ends of rows and ranges, small angles, what a test left open; per target.

#if defined(POSENC_SRC_RANGE_ROWS_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_RANGE_ROWS_INL_H_TOGGLE
#undef POSENC_SRC_RANGE_ROWS_INL_H_TOGGLE
#else
#define POSENC_SRC_RANGE_ROWS_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/float_recurrence-inl.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/lanes-inl.h"
#include "src/output_rows-inl.h"
#include "src/positions-inl.h"
#include "src/recurrence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Groups that are written in turn: 2 KiB of floats of a row. Where memory is read as well, or rows are not aligned for
// streaming, memory has to be in such runs: rows are written one by one, all groups of a chunk in turn. By groups, 256
// bytes in each of 16 rows, adding is 5 times as slow from memory, for the hardware does not see the reads coming.
inline constexpr std::size_t kChunkGroups = 8;

// A group at the anchor of a block.
template <bool kPairs>
struct Anchored {
  const Group* group;
  Anchors<kPairs> anchors;
};

// A group in the super-block that starts at row super.
template <bool kPairs>
struct GroupAtSuper {
  Group group;
  std::int64_t super;
  bool is_evaluated = false;
  Anchors<kPairs> anchors;
#if POSENC_WHOLE_VECTORS
  FloatRotations float_rotations;  // for BFloat16
#endif

  int BlockIndex(std::int64_t block) const { return static_cast<int>((block - super) / kBlockRows); }
};

// Rows begin .. last of the block that starts at row block; its other rows are not asked for.
struct BlockRows {
  std::int64_t block;
  std::int64_t begin;
  std::int64_t last;
};

// Values of a vector of frequencies in the rows of a block, and the limits of their tests.
struct ColumnWaves {
  static constexpr std::size_t kLanes = hn::MaxLanes(Doubles());
  HWY_ALIGN_MAX double first[kBlockRows * kLanes];
  HWY_ALIGN_MAX double second[kBlockRows * kLanes];
  HWY_ALIGN_MAX double first_limit[kBlockRows * kLanes];
  HWY_ALIGN_MAX double second_limit[kBlockRows * kLanes];
};

// The rows of a range: their positions and their memory. kPairs: of doubles.
template <bool kPairs>
class RangeRows {
 public:
  RangeRows(const FrequencyGrid& grid, const RangePositions& positions, const Output& output)
      : grid_(grid), positions_(positions), recurrence_(grid, positions.offset), rows_(grid, output) {}

  // The same rows in other memory.
  RangeRows In(const Output& output) const { return RangeRows(grid_, positions_, output); }

  const FrequencyGrid& grid() const { return grid_; }
  const Recurrence<kPairs>& recurrence() const { return recurrence_; }
  const OutputRows& output() const { return rows_; }

  // The position of row j, which is an int64.
  std::int64_t PositionOfRow(std::int64_t j) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(j) * positions_.step + positions_.offset);
  }

  // Of a row of the range: wraps where int64 does.
  std::size_t RowOf(std::int64_t j) const {
    return static_cast<std::uint64_t>(j) - static_cast<std::uint64_t>(positions_.first);
  }

  // Whether position 0, whose exact values no rotation gives, is among the rows. It is the first row of its block.
  bool HasZero(const BlockRows& rows) const { return positions_.offset == 0 && rows.begin == 0; }

  // The end of the whole vectors of so many lanes from frequency begin of group g on, with a cosine for each.
  std::size_t WholeVectors(std::size_t g, std::size_t begin, std::size_t end, std::size_t lanes) const {
    const std::size_t k0 = g * kGroup;
    const std::size_t cosines = grid_.shape.cosines - std::min(grid_.shape.cosines, k0);
    return begin + (std::min(end, cosines) - std::min(begin, cosines)) / lanes * lanes;
  }

  // Frequencies begin .. below end of the group, each vector tested and repaired on its own. mixed: small angles are
  // among them.
  HWY_NOINLINE void Decide(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows, std::size_t begin,
                           std::size_t end, bool mixed) const {
    // How near to the anchor the pairs are that have a row to write.
    const std::int64_t middle = rows.block + kRowRotations;
    DecidePairs(group, anchors, rows, std::max({std::int64_t{0}, rows.begin - middle, middle - 1 - rows.last}), begin,
                end, mixed);
    if (HasZero(rows)) Small(group.index * kGroup + begin, group.index * kGroup + end, 0);
  }

  // Frequencies begin .. below end in row j, where every angle is small.
  void Small(std::size_t begin, std::size_t end, std::int64_t j) const {
    const std::int64_t position = PositionOfRow(j);
    SmallRow<kPairs>(rows_, begin, end - begin, RowOf(j), PositionOf(position), SmallPositionOf(position));
  }

  // The vector of frequencies from k of all on in a whole block, by the series of small angles; false where that does
  // not reach, or a sine may be subnormal. farthest: the largest |position|.
  HWY_NOINLINE bool SmallColumn(std::int64_t block, double farthest, std::size_t k, ColumnWaves& to) const {
    using T = LanesType<kPairs>;
    const Doubles d;
    const Vec radians = hn::Abs(hn::Load(d, grid_.radians + k));
    const Vec least = hn::Mul(radians, hn::Set(d, std::fabs(grid_.amplitude)));  // of the sines; 0 is exact
    const Mask is_series = hn::Lt(hn::Mul(radians, hn::Set(d, farthest)), hn::Set(d, kSeriesRadians));
    const Mask is_normal = hn::Or(hn::Ge(least, hn::Set(d, 0x1p-120)), hn::Eq(radians, hn::Zero(d)));
    if (!hn::AllTrue(d, hn::And(is_series, is_normal))) return false;
    const double eps = kEps<T> * grid_.eps_scale;
    for (std::int64_t i = 0; i < kBlockRows; ++i) {
      Vec first, second, low, first_limit, second_limit;
      SmallValues<T>(d, grid_, k, SmallPositionOf(PositionOfRow(block + i)), eps, first, low, second, low, first_limit,
                     second_limit);
      const std::size_t at = static_cast<std::size_t>(i) * ColumnWaves::kLanes;
      hn::Store(first, d, to.first + at);
      hn::Store(second, d, to.second + at);
      hn::Store(first_limit, d, to.first_limit + at);
      hn::Store(second_limit, d, to.second_limit + at);
    }
    return true;
  }

  // count frequencies from k on in the pair of rows of a block, other than position 0, whose earlier one is given.
  HWY_NOINLINE void DecidePair(const GroupAtSuper<kPairs>& at, std::int64_t block, std::int64_t earlier, std::size_t k,
                               std::size_t count) const {
    Anchors<kPairs> anchors;
    recurrence_.RotateAnchors(at.group, at.BlockIndex(block), at.anchors, k, k + count, anchors);
    const std::int64_t pair = block + kRowRotations - 1 - earlier;
    DecidePairs(at.group, anchors, {block, earlier, block + kRowRotations + pair}, pair, k, k + count, false);
  }

  // What whole blocks have left of frequencies begin .. below end: all from open on, and position 0 before.
  HWY_NOINLINE void FinishBlock(const GroupAtSuper<kPairs>& at, const BlockRows& rows, std::size_t begin,
                                std::size_t open, std::size_t end) const {
    Anchors<kPairs> anchors;
    recurrence_.RotateAnchors(at.group, at.BlockIndex(rows.block), at.anchors, begin, end, anchors);
    if (open < end) Decide(at.group, anchors, rows, open, end, false);
    if (!HasZero(rows) || begin >= open) return;
    const std::size_t k0 = at.group.index * kGroup;
    Decide(at.group, anchors, {rows.block, rows.last, rows.last}, begin, open, false);
    Small(k0 + begin, k0 + open, 0);
  }

 private:
  // What Decide does, from a pair on and without position 0.
  HWY_NOINLINE void DecidePairs(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows,
                                std::int64_t first_pair, std::size_t begin, std::size_t end, bool mixed) const {
    const Doubles d;
    const std::size_t k0 = group.index * kGroup;
    const std::int64_t middle = rows.block + kRowRotations;
    const std::int64_t last_pair = std::max(rows.last - middle, middle - 1 - rows.begin);
    RowWaves waves[2];  // of the earlier and the later row
    for (std::int64_t pair = first_pair; pair <= last_pair; ++pair) {
      recurrence_.ForRows(
          group, anchors, rows.block, begin, end, pair, pair + 1,
          [&](std::int64_t j, std::size_t) POSENC_INLINE_LAMBDA { return waves + (j < middle ? 0 : 1); },
          [&](RowWaves* to, std::size_t k, Vec first, HWY_MAYBE_UNUSED Vec first_low, Vec second,
              HWY_MAYBE_UNUSED Vec second_low) POSENC_INLINE_LAMBDA {
            hn::Store(first, d, to->first + k);
            hn::Store(second, d, to->second + k);
            if constexpr (kPairs) {
              hn::Store(first_low, d, to->first_low + k);
              hn::Store(second_low, d, to->second_low + k);
            }
          });
      for (const std::int64_t j : {middle - 1 - pair, middle + pair}) {
        if (j < rows.begin || j > rows.last) continue;
        const std::int64_t position = PositionOfRow(j);
        if (position == 0) continue;  // exact zeros and ones: Small
        RowWaves& row = waves[j < middle ? 0 : 1];
        if (mixed) SmallWaves<kPairs>(grid_, k0, begin, end, SmallPositionOf(position), true, row);
        DecideRow<kPairs>(rows_, row, k0, begin, end, RowOf(j), PositionOf(position), mixed);
      }
    }
  }

  static SmallPosition SmallPositionOf(std::int64_t position) {
    const double nearest = static_cast<double>(position);
    return {nearest, NearestLow(position, nearest)};
  }

  const FrequencyGrid& grid_;
  const RangePositions positions_;
  const Recurrence<kPairs> recurrence_;
  const OutputRows rows_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_RANGE_ROWS_INL_H_TOGGLE
