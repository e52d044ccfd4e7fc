// Room kernels: a grid and a range of positions go in, rows rotated by the recurrence go to the store; per target.

#if defined(POSENC_SRC_RANGE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_RANGE_INL_H_TOGGLE
#undef POSENC_SRC_RANGE_INL_H_TOGGLE
#else
#define POSENC_SRC_RANGE_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/lanes-inl.h"
#include "src/positions-inl.h"
#include "src/recurrence-inl.h"
#include "src/sincos-inl.h"
#include "src/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
class RangeKernel {
 public:
  static constexpr bool kPairs = std::is_same_v<T, double>;

  RangeKernel(const FrequencyGrid& grid, const RangePositions& positions, const Output& output)
      : grid_(grid),
        positions_(positions),
        recurrence_(grid, positions.offset),
        writer_(grid, output),
        end_(positions.first + static_cast<std::int64_t>(positions.count - 1)),
        eps_(kEps<T> * grid.eps_scale) {}

  void Run() const {
    if (positions_.step == 1) {
      // Super-blocks outside: the rows of one stay near each other in memory while all groups pass over them.
      const std::size_t chunk = writer_.by_rows() ? kRowGroups : 1;
      for (std::int64_t super = Floor(positions_.first, kSuperRows);;) {
        for (std::size_t g = 0; g < grid_.groups; g += chunk) {
          Group groups[kRowGroups];
          const std::size_t count = std::min(chunk, grid_.groups - g);
          for (std::size_t i = 0; i < count; ++i) {
            groups[i] = {FractionsOfGroup(grid_.half, g + i), grid_.rotation + (g + i) * kRotationDoubles,
                         grid_.rotation_low + (g + i) * kRotationDoubles, g + i};
          }
          SuperBlock(groups, count, super);
        }
        if (end_ - super < kSuperRows) break;
        super += kSuperRows;
      }
    } else {
      // Groups outside: the rotations of this step are made once a group.
      for (std::size_t g = 0; g < grid_.groups; ++g) SteppedGroup(g);
    }
    if (writer_.has_zero()) {
      for (std::size_t row = 0; row < positions_.count; ++row) writer_.StoreZero(row);
    }
    hwy::FlushStream();
  }

 private:
  // Where memory is read as well, or rows are not aligned for streaming, it has to be in long runs: rows are written by
  // pairs, this many groups (2 KiB of floats) in turn. By groups, 256 bytes in each of 16 rows, adding is 5 times as
  // slow from memory, for the hardware does not see the reads coming.
  static constexpr std::size_t kRowGroups = 8;

  // A group at the anchor of a block.
  struct Anchored {
    const Group* group;
    Anchors<kPairs> anchors;
  };

  // Rows begin .. last of the block that starts at row block; its other rows are not asked for.
  struct BlockRows {
    std::int64_t block;
    std::int64_t begin;
    std::int64_t last;
  };

  static std::int64_t Floor(std::int64_t j, std::int64_t multiple) { return j & ~(multiple - 1); }

  HWY_NOINLINE void SteppedGroup(std::size_t g) const {
    HWY_ALIGN_MAX std::uint64_t step[3][kGroup];
    HWY_ALIGN_MAX double rotation[kRotationDoubles];
    HWY_ALIGN_MAX double rotation_low[kRotationDoubles];
    for (std::size_t k = 0; k < kGroup; ++k) MultiplyFraction(g * kGroup + k, positions_.step, k, step);
    const Group group{{{step[0], step[1], step[2]}}, rotation, rotation_low, g};
    FillGroupRotations(group.half_step, rotation, rotation_low);
    for (std::int64_t super = Floor(positions_.first, kSuperRows);;) {
      SuperBlock(&group, 1, super);
      if (end_ - super < kSuperRows) break;
      super += kSuperRows;
    }
  }

  // to[..][k] = factor * half a position of frequency f, mod 1 turn.
  void MultiplyFraction(std::size_t f, std::uint64_t factor, std::size_t k, std::uint64_t (&to)[3][kGroup]) const {
    Uint128 carry = 0;
    for (int i = 0; i < 3; ++i) {
      carry += Uint128{grid_.half.limb[i][f]} * factor;
      to[i][k] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }

  // The position of row j, which is an int64.
  std::int64_t PositionOfRow(std::int64_t j) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(j) * positions_.step + positions_.offset);
  }

  HWY_NOINLINE void SuperBlock(const Group* groups, std::size_t count, std::int64_t super) const {
    const std::int64_t begin = std::max(super, positions_.first);
    const std::int64_t last = end_ - super < kSuperRows ? end_ : super + (kSuperRows - 1);
    Anchors<kPairs> super_anchors[kRowGroups];
    bool have_super_anchor[kRowGroups] = {};
    Anchored by_rows[kRowGroups];
    for (std::int64_t block = Floor(begin, kBlockRows);; block += kBlockRows) {
      const std::int64_t block_begin = std::max(block, begin);
      const std::int64_t block_last = last - block < kBlockRows ? last : block + (kBlockRows - 1);
      const BlockRows rows{block, block_begin, block_last};
      const bool whole = block_last - block_begin == kBlockRows - 1;
      const double farthest = std::max(std::fabs(static_cast<double>(PositionOfRow(block_begin))),
                                       std::fabs(static_cast<double>(PositionOfRow(block_last))));
      std::size_t waiting = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Group& group = groups[i];
        const std::size_t k0 = group.index * kGroup;
        const std::size_t end = std::min(kGroup, grid_.shape.sines - k0);
        if (farthest * grid_.most_radians[group.index] < kSmallRadians<T>) {
          for (std::int64_t j = block_begin;; ++j) {
            SmallRow(k0, k0 + end, j);
            if (j == block_last) break;
          }
          continue;
        }
        if (!have_super_anchor[i]) {
          recurrence_.Evaluate(group, super, super_anchors[i]);
          have_super_anchor[i] = true;
        }
        Anchored& anchored = by_rows[waiting];
        anchored.group = &group;
        recurrence_.RotateAnchors(group, static_cast<int>((block - super) / kBlockRows), super_anchors[i],
                                  anchored.anchors);
        if (farthest * grid_.least_radians[group.index] < kSmallRadians<T>) {
          MixedBlock(group, anchored.anchors, rows, farthest);
        } else if (whole && writer_.by_rows()) {
          ++waiting;
        } else {
          Block(group, anchored.anchors, rows, 0, end);
        }
      }
      if (waiting != 0) BlockByRows(by_rows, waiting, rows);
      if (block_last == last) break;
    }
  }

  // A block whose vectors have small angles or not.
  HWY_NOINLINE void MixedBlock(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows,
                               double farthest) const {
    const Doubles d;
    const std::size_t k0 = group.index * kGroup;
    const std::size_t end = std::min(kGroup, grid_.shape.sines - k0);
    std::size_t begin = 0;  // vectors from here to k have no small angle
    for (std::size_t k = 0; k < end; k += hn::Lanes(d)) {
      const Mask small = IsSmall<T>(d, grid_, k0 + k, farthest);
      if (hn::AllFalse(d, small)) continue;
      if (begin < k) Block(group, anchors, rows, begin, k);
      begin = std::min(k + hn::Lanes(d), end);
      DecideVectors(group, anchors, rows, k, begin, true);
    }
    if (begin < end) Block(group, anchors, rows, begin, end);
  }

  // Frequencies begin .. below end of the group in a block that has none with a small angle in every row.
  HWY_INLINE void Block(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows, std::size_t begin,
                        std::size_t end) const {
    if (rows.last - rows.begin < kBlockRows - 1 || writer_.adds()) {
      DecideVectors(group, anchors, rows, begin, end, false);
    } else {
      switch (writer_.way()) {
        case Way::kPairs:
          return WholeBlock<Way::kPairs>(group, anchors, rows, begin, end);
        case Way::kPairsStreamed:
          return WholeBlock<Way::kPairsStreamed>(group, anchors, rows, begin, end);
        case Way::kRuns:
          return WholeBlock<Way::kRuns>(group, anchors, rows, begin, end);
        case Way::kRunsStreamed:
          return WholeBlock<Way::kRunsStreamed>(group, anchors, rows, begin, end);
      }
    }
  }

  // A whole block: stores everything, tests once, and goes over it again in the rare case that something is open.
  template <Way kWay>
  HWY_NOINLINE void WholeBlock(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows,
                               std::size_t begin, std::size_t end) const {
    const Doubles d;
    const std::size_t k0 = group.index * kGroup;
    const std::size_t cosines = grid_.shape.cosines - std::min(grid_.shape.cosines, k0);
    const std::size_t whole = begin + (std::min(end, cosines) - std::min(begin, cosines)) / hn::Lanes(d) * hn::Lanes(d);
    const Vec eps = hn::Set(d, eps_);
    Vec tested_first = NoTest<T>(d), tested_second = NoTest<T>(d);
    recurrence_.template ForRows<std::is_same_v<T, float>>(
        group, anchors, rows.block, begin, whole, 0, kRowRotations - (HasZero(rows) ? 1 : 0),
        [&](std::int64_t j) POSENC_INLINE_LAMBDA { return writer_.Places(RowOf(j), k0); },
        [&](const auto& row, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low) POSENC_INLINE_LAMBDA {
          Writer<T>::template Store<kWay>(d, first, second, row, k);
          tested_first = BothTests<T>(tested_first, BlockTest<T>(d, first, first_low, eps));
          tested_second = BothTests<T>(tested_second, BlockTest<T>(d, second, second_low, eps));
        });
    const bool open = !hn::AllFalse(d, hn::Or(Undecided<T>(d, tested_first, eps), Undecided<T>(d, tested_second, eps)));
    if (HWY_UNLIKELY(open)) {
      hwy::FlushStream();  // what is repaired comes after what was streamed
      return DecideVectors(group, anchors, rows, begin, end, false);
    }
    if (whole < end) DecideVectors(group, anchors, rows, whole, end, false);
    if (HasZero(rows)) {
      DecideVectors(group, anchors, {rows.block, rows.last, rows.last}, begin, whole, false);
      SmallRow(k0 + begin, k0 + whole, 0);
    }
  }

  // A whole block of some groups, none with a small angle, by pairs of rows.
  HWY_NOINLINE void BlockByRows(const Anchored* groups, std::size_t count, const BlockRows& rows) const {
    for (std::int64_t pair = 0; pair < kRowRotations; ++pair) {
      const std::int64_t earlier = rows.block + kRowRotations - 1 - pair;
      const std::int64_t later = rows.block + kRowRotations + pair;
      const bool done = PositionOfRow(earlier) != 0 &&
                        (writer_.adds() ? RowPair<true>(groups, count, rows.block, pair, earlier, later)
                                        : RowPair<false>(groups, count, rows.block, pair, earlier, later));
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k0 = groups[i].group->index * kGroup;
        const std::size_t end = std::min(kGroup, grid_.shape.sines - k0);
        const std::size_t from = !done ? 0 : writer_.adds() ? WholeVectors(k0) : PairVectors(k0);
        if (from >= end) continue;
        DecideVectors(*groups[i].group, groups[i].anchors, {rows.block, earlier, earlier}, from, end, false);
        DecideVectors(*groups[i].group, groups[i].anchors, {rows.block, later, later}, from, end, false);
      }
    }
  }

  // The whole vectors of two rows. As WholeBlock, with a limit for each lane where it adds. False: something is open,
  // and nothing has been done; where out is x itself, x is put back.
  template <bool kAdd>
  HWY_NOINLINE bool RowPair(const Anchored* groups, std::size_t count, std::int64_t block, std::int64_t pair,
                            std::int64_t earlier, std::int64_t later) const {
    const Doubles d;
    const Vec eps = hn::Set(d, eps_), zero = hn::Zero(d);
    // Of all groups in one piece, also of those between that are not among these.
    constexpr std::size_t kSpan = kRowGroups * kGroup;
    T kept[2][2 * kSpan];
    HWY_ALIGN_MAX T made[2][2 * kSpan];
    const bool bounce = writer_.bounces();
    const std::size_t kept_from = groups[0].group->index * kGroup;
    if (kAdd && writer_.in_place()) {
      const std::size_t last = groups[count - 1].group->index * kGroup;
      writer_.CopyX(RowOf(earlier), kept_from, last + WholeVectors(last) - kept_from, kept[0]);
      writer_.CopyX(RowOf(later), kept_from, last + WholeVectors(last) - kept_from, kept[1]);
    }
    Vec tested_first = NoTest<T>(d), tested_second = NoTest<T>(d), nan = zero;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k0 = groups[i].group->index * kGroup;
      recurrence_.template ForRows<false>(
          *groups[i].group, groups[i].anchors, block, 0, kAdd ? WholeVectors(k0) : PairVectors(k0), pair, pair + 1,
          [&](std::int64_t j) POSENC_INLINE_LAMBDA {
            const std::int64_t next = pair + 1 < kRowRotations ? (j == later ? j + 1 : j - 1)
                                                               : j + (j == later ? 1 : 2 * kRowRotations - 1) + 8;
            auto places = writer_.AddPlaces(RowOf(j), RowOf(next), k0);
            if (bounce) places.to = writer_.PlacesIn(made[j == later ? 1 : 0], k0 - kept_from, kSpan);
            return places;
          },
          [&](const auto& places, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low)
              POSENC_INLINE_LAMBDA {
                Vec first_limit = eps, second_limit = eps;
                if constexpr (kAdd) {
                  Vec x_first, x_second;
                  writer_.Load(d, places.x, k, x_first, x_second);
                  writer_.Prefetch(places.next, k);
                  writer_.AddTo(d, x_first, true, false, first, first_low, first_limit);
                  writer_.AddTo(d, x_second, true, false, second, second_low, second_limit);
                  nan = hn::MulAdd(hn::Add(first, second), zero, nan);
                  if constexpr (kPairs) nan = hn::MulAdd(hn::Add(first_low, second_low), zero, nan);
                }
                writer_.StoreAny(d, first, second, places.to, k);
                tested_first = BothTests<T>(tested_first, BlockTestWithin<T>(d, first, first_low, first_limit));
                tested_second = BothTests<T>(tested_second, BlockTestWithin<T>(d, second, second_low, second_limit));
              });
    }
    const Mask open = hn::Or(hn::Or(Undecided<T>(d, tested_first, zero), Undecided<T>(d, tested_second, zero)),
                             hn::Not(hn::Eq(nan, zero)));
    if (HWY_LIKELY(hn::AllFalse(d, open))) {
      if (bounce) {
        for (std::size_t i = 0, next; i < count; i = next) {
          // Groups that follow each other, in one run.
          const std::size_t k0 = groups[i].group->index * kGroup;
          for (next = i + 1; next < count && groups[next].group->index == groups[i].group->index + (next - i);) ++next;
          const std::size_t last = groups[next - 1].group->index * kGroup;
          const std::size_t in_last =
              kAdd ? WholeVectors(last) : std::min(PairVectors(last), grid_.shape.cosines - last);
          writer_.CopyOut(RowOf(earlier), k0, last + in_last - k0, made[0], k0 - kept_from, kSpan);
          writer_.CopyOut(RowOf(later), k0, last + in_last - k0, made[1], k0 - kept_from, kSpan);
        }
      }
      return true;
    }
    hwy::FlushStream();  // what is repaired comes after what was streamed
    if (kAdd && writer_.in_place()) {
      const std::size_t last = groups[count - 1].group->index * kGroup;
      const std::size_t kept_to = last + WholeVectors(last);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k0 = groups[i].group->index * kGroup;
        writer_.RestoreX(RowOf(earlier), k0, WholeVectors(k0), kept[0], kept_from, kept_to);
        writer_.RestoreX(RowOf(later), k0, WholeVectors(k0), kept[1], kept_from, kept_to);
      }
    }
    return false;
  }

  // The same where a buffer has room for the padding that fills the last vector.
  std::size_t PairVectors(std::size_t k0) const {
    if (!writer_.bounces() || grid_.shape.cosines != grid_.shape.sines) return WholeVectors(k0);
    return hwy::RoundUpTo(std::min(kGroup, grid_.shape.cosines - k0), hn::Lanes(Doubles()));
  }

  // How many of the group's frequencies from k0 on are in whole vectors with a cosine for each.
  std::size_t WholeVectors(std::size_t k0) const {
    const std::size_t cosines = grid_.shape.cosines - std::min(grid_.shape.cosines, k0);
    return std::min(kGroup, cosines) / hn::Lanes(Doubles()) * hn::Lanes(Doubles());
  }

  // Frequencies begin .. below end of the group, each vector tested and repaired on its own. mixed: small angles are
  // among them.
  HWY_NOINLINE void DecideVectors(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows,
                                  std::size_t begin, std::size_t end, bool mixed) const {
    const Doubles d;
    const std::size_t k0 = group.index * kGroup;
    const Vec eps = hn::Set(d, eps_);
    // How near to the anchor and how far from it the pairs are that have a row to write.
    const std::int64_t first_pair = std::max(
        {std::int64_t{0}, rows.begin - (rows.block + kRowRotations), rows.block + kRowRotations - 1 - rows.last});
    const std::int64_t last_pair =
        std::max(rows.last - (rows.block + kRowRotations), rows.block + kRowRotations - 1 - rows.begin);
    recurrence_.template ForRows<false>(
        group, anchors, rows.block, begin, end, first_pair, last_pair + 1,
        [](std::int64_t j) POSENC_INLINE_LAMBDA { return j; },
        [&](std::int64_t j, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low) POSENC_INLINE_LAMBDA {
          if (j < rows.begin || j > rows.last) return;
          const std::int64_t position = PositionOfRow(j);
          if (position == 0) return;  // exact zeros and ones: SmallRow
          const std::size_t lanes = std::min(hn::Lanes(d), end - k);
          if (mixed) {
            DecideMixed(d, writer_, first, first_low, second, second_low, k0 + k, lanes, RowOf(j), PositionOf(position),
                        SmallPositionOf(position), eps_);
          } else {
            writer_.DecideAny(d, first, first_low, second, second_low, eps, eps, RowOf(j), k0 + k, lanes,
                              PositionOf(position), false);
          }
        });
    if (HasZero(rows)) SmallRow(k0 + begin, k0 + end, 0);
  }

  // Whether position 0, whose exact values no rotation gives, is among the rows. It is the first row of its block.
  bool HasZero(const BlockRows& rows) const { return positions_.offset == 0 && rows.begin == 0; }

  void SmallRow(std::size_t begin, std::size_t end, std::int64_t j) const {
    const std::int64_t position = PositionOfRow(j);
    WriteSmall(writer_, begin, end, RowOf(j), PositionOf(position), SmallPositionOf(position), eps_);
  }

  static SmallPosition SmallPositionOf(std::int64_t position) {
    const double nearest = static_cast<double>(position);
    return {nearest, NearestLow(position, nearest)};
  }

  std::size_t RowOf(std::int64_t j) const { return static_cast<std::size_t>(j - positions_.first); }

  const FrequencyGrid& grid_;
  const RangePositions positions_;
  const Recurrence<kPairs> recurrence_;
  const Writer<T> writer_;
  const std::int64_t end_;  // the last row
  const double eps_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_RANGE_INL_H_TOGGLE
