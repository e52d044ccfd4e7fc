// Room kernels: a group of frequencies at its super-anchor goes in, the blocks of rows rotated from it go to the store;
// per target.

#if defined(POSENC_SRC_BLOCKS_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_BLOCKS_INL_H_TOGGLE
#undef POSENC_SRC_BLOCKS_INL_H_TOGGLE
#else
#define POSENC_SRC_BLOCKS_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/float_recurrence-inl.h"
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

// Writes the rows of a range.
template <class T>
class BlockWriter {
 public:
  static constexpr bool kPairs = std::is_same_v<T, double>;
  // Whether floats decide most values.
  static constexpr bool kFloatLanes = POSENC_WHOLE_VECTORS && std::is_same_v<T, BFloat16>;

  // Groups that are written in turn: 2 KiB of floats of a row. Where memory is read as well, or rows are not aligned
  // for streaming, memory has to be in such runs: rows are written by pairs, all groups of a chunk in turn. By groups,
  // 256 bytes in each of 16 rows, adding is 5 times as slow from memory, for the hardware does not see the reads
  // coming.
  static constexpr std::size_t kChunkGroups = 8;

  // A group at the anchor of a block.
  struct Anchored {
    const Group* group;
    Anchors<kPairs> anchors;
  };

  // A group in the super-block that starts at row super.
  struct GroupAtSuper {
    Group group;
    std::int64_t super;
    bool is_evaluated = false;
    Anchors<kPairs> anchors;
#if POSENC_WHOLE_VECTORS
    struct NoRotations {};
    std::conditional_t<kFloatLanes, FloatRotations, NoRotations> float_rotations;
#endif

    int BlockIndex(std::int64_t block) const { return static_cast<int>((block - super) / kBlockRows); }
  };

  // Rows begin .. last of the block that starts at row block; its other rows are not asked for.
  struct BlockRows {
    std::int64_t block;
    std::int64_t begin;
    std::int64_t last;
  };

  BlockWriter(const FrequencyGrid& grid, const RangePositions& positions, const Output& output)
      : grid_(grid),
        positions_(positions),
        recurrence_(grid, positions.offset),
        writer_(grid, output),
        eps_(kEps<T> * grid.eps_scale) {}

  const Recurrence<kPairs>& recurrence() const { return recurrence_; }
  const Writer<T>& writer() const { return writer_; }

  // The position of row j, which is an int64.
  std::int64_t PositionOfRow(std::int64_t j) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(j) * positions_.step + positions_.offset);
  }

  // Whole blocks from row block on: frequencies begin .. below end of the group, none with a small angle in every row.
  HWY_INLINE void WholeBlocks(const GroupAtSuper& at, std::int64_t block, std::int64_t count, std::size_t begin,
                              std::size_t end) const {
    writer_.in_runs() ? WholeBlocksOf<true>(at, block, count, begin, end)
                      : WholeBlocksOf<false>(at, block, count, begin, end);
  }

  // A whole block of some groups, none with a small angle, by pairs of rows.
  HWY_NOINLINE void BlockByRows(const Anchored* groups, std::size_t count, std::int64_t block) const {
    for (std::int64_t pair = 0; pair < kRowRotations; ++pair) {
      const std::int64_t earlier = block + kRowRotations - 1 - pair;
      const std::int64_t later = block + kRowRotations + pair;
      const bool has_zero = PositionOfRow(earlier) == 0;  // which no rotation gives
      if (!has_zero) {
        writer_.in_runs() ? RowPair<true>(groups, count, pair, earlier, later)
                          : RowPair<false>(groups, count, pair, earlier, later);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k0 = groups[i].group->index * kGroup;
        const std::size_t end = std::min(kGroup, grid_.shape.sines - k0);
        const std::size_t from = has_zero ? 0 : WholeVectors(k0);
        if (from >= end) continue;
        DecideVectors(*groups[i].group, groups[i].anchors, {block, earlier, earlier}, from, end, false);
        DecideVectors(*groups[i].group, groups[i].anchors, {block, later, later}, from, end, false);
      }
    }
  }

  // Frequencies begin .. below end of the group, each vector tested and repaired on its own. mixed: small angles are
  // among them.
  HWY_NOINLINE void DecideVectors(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows,
                                  std::size_t begin, std::size_t end, bool mixed) const {
    // How near to the anchor the pairs are that have a row to write.
    const std::int64_t pair = std::max(
        {std::int64_t{0}, rows.begin - (rows.block + kRowRotations), rows.block + kRowRotations - 1 - rows.last});
    DecidePairs(group, anchors, rows, pair, begin, end, mixed);
    if (HasZero(rows)) SmallRow(group.index * kGroup + begin, group.index * kGroup + end, 0);
  }

  // Frequencies begin .. below end in row j, where every angle is small.
  void SmallRow(std::size_t begin, std::size_t end, std::int64_t j) const {
    const std::int64_t position = PositionOfRow(j);
    WriteSmall(writer_, begin, end, RowOf(j), PositionOf(position), SmallPositionOf(position), eps_);
  }

 private:
  template <bool kInRuns>
  HWY_INLINE void WholeBlocksOf(const GroupAtSuper& at, std::int64_t block, std::int64_t count, std::size_t begin,
                                std::size_t end) const {
#if POSENC_WHOLE_VECTORS
    if constexpr (kFloatLanes) {
      const double first = static_cast<double>(PositionOfRow(block));
      const double last = static_cast<double>(PositionOfRow(block + (count * kBlockRows - 1)));
      const double nearest = first > 0.0 ? first : -last;
      if (nearest * grid_.least_radians[at.group.index] >= kFloatLanesRadians) {
        const std::size_t in_floats = Whole(at, begin, end, hn::Lanes(Singles()));
        FloatBlocks<kInRuns>(at, block, count, begin, in_floats);
        begin = in_floats;
      }
    }
#endif
    if (begin >= end) return;
#if POSENC_WHOLE_VECTORS
    if constexpr (sizeof(T) == 2) return WordBlocks<kInRuns>(at, block, count, begin, end);
#endif
    return DoubleBlocks<kInRuns>(at, block, count, begin, end);
  }

  // The end of the whole vectors of so many lanes from frequency begin of the group on, with a cosine for each.
  std::size_t Whole(const GroupAtSuper& at, std::size_t begin, std::size_t end, std::size_t lanes) const {
    const std::size_t k0 = at.group.index * kGroup;
    const std::size_t cosines = grid_.shape.cosines - std::min(grid_.shape.cosines, k0);
    return begin + (std::min(end, cosines) - std::min(begin, cosines)) / lanes * lanes;
  }

  // Stores everything, tests once a block, and goes over it again in the rare case that something is open.
  template <bool kInRuns>
  HWY_NOINLINE void DoubleBlocks(const GroupAtSuper& at, std::int64_t first_block, std::int64_t count,
                                 std::size_t begin, std::size_t end) const {
    const Doubles d;
    const Vec eps = hn::Set(d, eps_);
    const std::size_t k0 = at.group.index * kGroup;
    const std::size_t whole = Whole(at, begin, end, hn::Lanes(d));
    const bool stream = writer_.streams();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const BlockRows rows{block, block, block + (kBlockRows - 1)};
      const int index = at.BlockIndex(block);
      const std::int64_t pairs = kRowRotations - (HasZero(rows) ? 1 : 0);
      const auto row_of = [&](std::int64_t j, std::size_t k)
                              POSENC_INLINE_LAMBDA { return writer_.Places(RowOf(j), k0 + k); };
      Vec tested_first = NoTest<T>(d), tested_second = NoTest<T>(d);
      const auto visit = [&](const auto& row, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low)
                             POSENC_INLINE_LAMBDA {
                               Writer<T>::template Store<kInRuns>(d, first, second, row, k, stream);
                               tested_first = AddTest<T>(d, tested_first, first, first_low, eps);
                               tested_second = AddTest<T>(d, tested_second, second, second_low, eps);
                             };
      if constexpr (kPairs) {
        Anchors<kPairs> anchors;
        recurrence_.RotateAnchors(at.group, index, at.anchors, anchors);
        recurrence_.ForRows(at.group, anchors, block, begin, whole, 0, pairs, row_of, visit);
      } else {
        recurrence_.ForStrips(at.group, AnchorsOf(at, index), block, begin, whole, 0, pairs, row_of,
                              [&](const auto& ahead, const auto& back, std::size_t k, Vec fa, Vec sa, Vec fb, Vec sb)
                                  POSENC_INLINE_LAMBDA {
                                    visit(ahead, k, fa, fa, sa, sa);
                                    visit(back, k, fb, fb, sb, sb);
                                  });
      }
      const bool open =
          !hn::AllFalse(d, hn::Or(Undecided<T>(d, tested_first, eps), Undecided<T>(d, tested_second, eps)));
      if (HWY_UNLIKELY(open)) hwy::FlushStream();  // what is repaired comes after what was streamed
      if (HWY_UNLIKELY(open || whole < end || HasZero(rows))) FinishBlock(at, rows, begin, open ? begin : whole, end);
    }
  }

  // For ForRows and ForStrips: the anchors of a block, rotated from the super-anchor each time.
  HWY_INLINE auto AnchorsOf(const GroupAtSuper& at, int block_index) const {
    return [this, &at, block_index](std::size_t k, Vec& first, Vec& first_low, Vec& second, Vec& second_low)
               POSENC_INLINE_LAMBDA {
                 recurrence_.AnchorFrom(at.group, block_index, at.anchors, k, first, first_low, second, second_low);
               };
  }

#if POSENC_WHOLE_VECTORS
  // The same for 16-bit elements, which are tested before they are stored: too many are open for a block in one.
  template <bool kInRuns>
  HWY_NOINLINE void WordBlocks(const GroupAtSuper& at, std::int64_t first_block, std::int64_t count, std::size_t begin,
                               std::size_t end) const {
    const Doubles d;
    const std::size_t k0 = at.group.index * kGroup;
    const std::size_t whole = Whole(at, begin, end, hn::Lanes(d));
    const bool stream = writer_.streams();
    const WordTest<T> test(eps_);
    struct Row {
      typename Writer<T>::RowStart start;
      std::int64_t j;
      std::size_t strip;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const BlockRows rows{block, block, block + (kBlockRows - 1)};
      recurrence_.ForStrips(
          at.group, AnchorsOf(at, at.BlockIndex(block)), block, begin, whole, 0,
          kRowRotations - (HasZero(rows) ? 1 : 0),
          [&](std::int64_t j, std::size_t k) POSENC_INLINE_LAMBDA {
            return Row{writer_.Places(RowOf(j), k0 + k), j, k};
          },
          [&](const Row& ahead, const Row& back, std::size_t k, Vec fa, Vec sa, Vec fb, Vec sb) POSENC_INLINE_LAMBDA {
            const SingleVec a = JoinFloats<kInRuns>(d, fa, sa), b = JoinFloats<kInRuns>(d, fb, sb);
            if (HWY_LIKELY(test.Decided(a, b))) {
              Writer<T>::template StoreJoined<kInRuns>(a, ahead.start, k, stream);
              Writer<T>::template StoreJoined<kInRuns>(b, back.start, k, stream);
            } else {
              DecidePair(at, block, std::min(ahead.j, back.j), ahead.strip + k, hn::Lanes(d));
            }
          });
      if (HWY_UNLIKELY(whole < end || HasZero(rows))) FinishBlock(at, rows, begin, whole, end);
    }
  }

  // The same in float lanes, for whole vectors of floats.
  template <bool kInRuns>
  HWY_NOINLINE void FloatBlocks(const GroupAtSuper& at, std::int64_t first_block, std::int64_t count, std::size_t begin,
                                std::size_t end) const {
    const Doubles d;
    const Singles ds;
    const hn::Half<Singles> dh;
    const std::size_t k0 = at.group.index * kGroup;
    const SingleVec eps = hn::Set(ds, static_cast<float>(kFloatLanesEps * grid_.eps_scale));
    const std::size_t lanes = hn::Lanes(ds);
    const bool stream = writer_.streams();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const auto anchor_of = AnchorsOf(at, at.BlockIndex(block));
      const auto float_anchor_of = [&](std::size_t k, SingleVec& first, SingleVec& second) POSENC_INLINE_LAMBDA {
        Vec f0, s0, f1, s1, low;
        anchor_of(k, f0, low, s0, low);
        anchor_of(k + hn::Lanes(d), f1, low, s1, low);
        first = hn::Combine(ds, hn::DemoteTo(dh, f1), hn::DemoteTo(dh, f0));
        second = hn::Combine(ds, hn::DemoteTo(dh, s1), hn::DemoteTo(dh, s0));
      };
      // Calls visit(ahead, back, rotation, earlier row) for the pairs of rows, all from frequency k on.
      const auto for_pairs = [&](std::size_t k, const auto& visit) POSENC_INLINE_LAMBDA {
        const float* HWY_RESTRICT rotation = at.float_rotations.values + k;
        for (std::int64_t pair = 0; pair < kRowRotations; ++pair, rotation += 2 * kGroup) {
          const std::int64_t later = block + kRowRotations + pair, earlier = block + kRowRotations - 1 - pair;
          visit(writer_.Places(RowOf(grid_.cos_first ? earlier : later), k0 + k),
                writer_.Places(RowOf(grid_.cos_first ? later : earlier), k0 + k), rotation, earlier);
        }
      };
      const auto both = [&](const auto& ahead, const auto& back, const float* HWY_RESTRICT rotation,
                            std::int64_t earlier, std::size_t strip, std::size_t k, SingleVec first,
                            SingleVec second) POSENC_INLINE_LAMBDA {
        const FloatPair v =
            RotateFloats(first, second, hn::Load(ds, rotation + k), hn::Load(ds, rotation + kGroup + k));
        if (HWY_LIKELY(DecidedFloats(v, eps))) {
          Writer<T>::template StoreFloats<kInRuns>(v.first_ahead, v.second_ahead, ahead, k, stream);
          Writer<T>::template StoreFloats<kInRuns>(v.first_back, v.second_back, back, k, stream);
        } else {
          DecidePair(at, block, earlier, strip + k, lanes);
        }
      };
      std::size_t strip = begin;
      for (; strip + 2 * lanes <= end; strip += 2 * lanes) {
        SingleVec f0, s0, f1, s1;
        float_anchor_of(strip, f0, s0);
        float_anchor_of(strip + lanes, f1, s1);
        for_pairs(strip, [&](const auto& ahead, const auto& back, const float* HWY_RESTRICT rotation,
                             std::int64_t earlier) POSENC_INLINE_LAMBDA {
          both(ahead, back, rotation, earlier, strip, 0, f0, s0);
          both(ahead, back, rotation, earlier, strip, lanes, f1, s1);
        });
      }
      for (; strip < end; strip += lanes) {
        SingleVec first, second;
        float_anchor_of(strip, first, second);
        for_pairs(strip,
                  [&](const auto& ahead, const auto& back, const float* HWY_RESTRICT rotation, std::int64_t earlier)
                      POSENC_INLINE_LAMBDA { both(ahead, back, rotation, earlier, strip, 0, first, second); });
      }
    }
  }

  // Frequencies from k on in the pair of rows whose earlier one is given.
  HWY_NOINLINE void DecidePair(const GroupAtSuper& at, std::int64_t block, std::int64_t earlier, std::size_t k,
                               std::size_t count) const {
    Anchors<kPairs> anchors;
    recurrence_.RotateAnchors(at.group, at.BlockIndex(block), at.anchors, anchors);
    const std::int64_t pair = block + kRowRotations - 1 - earlier;
    DecidePairs(at.group, anchors, {block, earlier, block + kRowRotations + pair}, pair, k, k + count, false);
  }
#endif  // POSENC_WHOLE_VECTORS

  // What WholeBlocks has left of frequencies begin .. below end: all from open on, and position 0 before.
  HWY_NOINLINE void FinishBlock(const GroupAtSuper& at, const BlockRows& rows, std::size_t begin, std::size_t open,
                                std::size_t end) const {
    Anchors<kPairs> anchors;
    recurrence_.RotateAnchors(at.group, at.BlockIndex(rows.block), at.anchors, anchors);
    if (open < end) DecideVectors(at.group, anchors, rows, open, end, false);
    if (!HasZero(rows) || begin >= open) return;
    const std::size_t k0 = at.group.index * kGroup;
    DecideVectors(at.group, anchors, {rows.block, rows.last, rows.last}, begin, open, false);
    SmallRow(k0 + begin, k0 + open, 0);
  }

  // The whole vectors of two rows that are added to x, which may be what is written: each is tested before it is
  // stored.
  template <bool kInRuns>
  HWY_NOINLINE void RowPair(const Anchored* groups, std::size_t count, std::int64_t pair, std::int64_t earlier,
                            std::int64_t later) const {
    const Doubles d;
    const Vec eps = hn::Set(d, eps_), scale = writer_.x_scale(d);
    const bool stream = writer_.streams();
    struct Row {
      std::int64_t j;
      typename Writer<T>::RowStart to;
      typename Writer<T>::XStart x, next;
    };
    const auto row_of = [&](std::int64_t j, std::int64_t ahead) {
      const auto next = static_cast<std::int64_t>(static_cast<std::uint64_t>(j) + static_cast<std::uint64_t>(ahead));
      return Row{j, writer_.Places(RowOf(j), 0), writer_.XPlaces(RowOf(j), 0), writer_.XPlaces(RowOf(next), 0)};
    };
    const std::int64_t away = pair + writer_.prefetch_pairs();
    const std::int64_t beyond = away < kRowRotations ? 0 : kBlockRows, apart = away % kRowRotations;
    const Row later_row = row_of(later, beyond + apart - pair);
    const Row earlier_row = row_of(earlier, beyond + pair - apart);
    const Row& ahead = grid_.cos_first ? earlier_row : later_row;
    const Row& back = grid_.cos_first ? later_row : earlier_row;
    for (std::size_t i = 0; i < count; ++i) {
      const Anchored& anchored = groups[i];
      const std::size_t k0 = anchored.group->index * kGroup;
      const std::size_t end = WholeVectors(k0);
      const std::size_t at = static_cast<std::size_t>(pair) * 2 * kGroup;
      const auto visit = [&](const Row& row, std::size_t k, Vec first, Vec first_low, Vec second,
                             Vec second_low) POSENC_INLINE_LAMBDA {
        const Vec f = first, f_low = first_low, s = second, s_low = second_low;
        Vec first_limit = eps, second_limit = eps, x_first, x_second;
        Writer<T>::template Load<kInRuns>(d, row.x, k0 + k, x_first, x_second);
        Writer<T>::template Prefetch<kInRuns>(row.next, k0 + k);
        Writer<T>::AddTo(d, scale, x_first, true, false, first, first_low, first_limit);
        Writer<T>::AddTo(d, scale, x_second, true, false, second, second_low, second_limit);
        const Mask decided =
            hn::And(Decided<T>(d, first, first_low, first_limit), Decided<T>(d, second, second_low, second_limit));
        if (HWY_LIKELY(hn::AllTrue(d, decided))) {
          Writer<T>::template Store<kInRuns>(d, first, second, row.to, k0 + k, stream);
        } else {
          writer_.DecideAny(d, f, f_low, s, s_low, eps, eps, RowOf(row.j), k0 + k, hn::Lanes(d),
                            PositionOf(PositionOfRow(row.j)), false);
        }
      };
      for (std::size_t k = 0; k < end; k += hn::Lanes(d)) {
        Vec first, first_low, second, second_low;
        anchored.anchors(k, first, first_low, second, second_low);
        recurrence_.RotateBoth(ahead, back, anchored.group->rotation + at, anchored.group->rotation_low + at, k, first,
                               first_low, second, second_low, visit);
      }
    }
  }

  // How many of the group's frequencies from k0 on are in whole vectors with a cosine for each.
  std::size_t WholeVectors(std::size_t k0) const {
    const std::size_t cosines = grid_.shape.cosines - std::min(grid_.shape.cosines, k0);
    return std::min(kGroup, cosines) / hn::Lanes(Doubles()) * hn::Lanes(Doubles());
  }

  // What DecideVectors does, from a pair on and without position 0.
  HWY_NOINLINE void DecidePairs(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows,
                                std::int64_t first_pair, std::size_t begin, std::size_t end, bool mixed) const {
    const Doubles d;
    const std::size_t k0 = group.index * kGroup;
    const Vec eps = hn::Set(d, eps_);
    const std::int64_t last_pair =
        std::max(rows.last - (rows.block + kRowRotations), rows.block + kRowRotations - 1 - rows.begin);
    const std::size_t decided_end = mixed || writer_.adds() ? 0 : k0 + end;
    recurrence_.ForRows(
        group, anchors, rows.block, begin, end, first_pair, last_pair + 1,
        [](std::int64_t j, std::size_t) POSENC_INLINE_LAMBDA { return j; },
        [&](std::int64_t j, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low) POSENC_INLINE_LAMBDA {
          if (j < rows.begin || j > rows.last) return;
          const std::int64_t position = PositionOfRow(j);
          if (position == 0) return;  // exact zeros and ones: SmallRow
          const std::size_t lanes = std::min(hn::Lanes(d), end - k);
          if (mixed) {
            DecideMixed(d, writer_, first, first_low, second, second_low, k0 + k, lanes, RowOf(j), PositionOf(position),
                        SmallPositionOf(position), eps_);
            return;
          }
          // Lanes beyond those that count hold another frequency of the group, and are decided like any.
          if (k0 + k + lanes <= std::min(decided_end, grid_.shape.cosines) &&
              hn::AllTrue(d, hn::And(Decided<T>(d, first, first_low, eps), Decided<T>(d, second, second_low, eps)))) {
            const auto to = writer_.Places(RowOf(j), k0 + k);
            return lanes == hn::Lanes(d) ? writer_.StoreAny(d, first, second, to, 0)
                                         : Writer<T>::StorePart(d, first, second, to, lanes);
          }
          writer_.DecideAny(d, first, first_low, second, second_low, eps, eps, RowOf(j), k0 + k, lanes,
                            PositionOf(position), false);
        });
  }

  // Whether position 0, whose exact values no rotation gives, is among the rows. It is the first row of its block.
  bool HasZero(const BlockRows& rows) const { return positions_.offset == 0 && rows.begin == 0; }

  static SmallPosition SmallPositionOf(std::int64_t position) {
    const double nearest = static_cast<double>(position);
    return {nearest, NearestLow(position, nearest)};
  }

  // Of the last and the next rows too, which are prefetched: wraps at the ends of int64, where there are none.
  std::size_t RowOf(std::int64_t j) const {
    return static_cast<std::uint64_t>(j) - static_cast<std::uint64_t>(positions_.first);
  }

  const FrequencyGrid& grid_;
  const RangePositions positions_;
  const Recurrence<kPairs> recurrence_;
  const Writer<T> writer_;
  const double eps_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_BLOCKS_INL_H_TOGGLE
