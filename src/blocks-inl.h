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
#include <cstring>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/float_recurrence-inl.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/lanes-inl.h"
#include "src/positions-inl.h"
#include "src/range_rows-inl.h"
#include "src/recurrence-inl.h"
#include "src/sincos-inl.h"
#include "src/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Writes whole blocks of the rows of a range.
template <class T>
class BlockWriter {
 public:
  static constexpr bool kPairs = std::is_same_v<T, double>;
  using Rows = RangeRows<kPairs>;
  using AtSuper = GroupAtSuper<kPairs>;

  explicit BlockWriter(const Rows& rows)
      : rows_(rows), grid_(rows.grid()), writer_(rows.output()), eps_(kEps<T> * grid_.eps_scale) {}

  // Whole blocks from row block on: frequencies begin .. below end of the group, none with a small angle in every row.
  HWY_INLINE void WholeBlocks(const AtSuper& at, std::int64_t block, std::int64_t count, std::size_t begin,
                              std::size_t end) const {
    const bool in_runs = rows_.output().in_runs();
    if constexpr (!kBlocksApart) return WholeBlocksOf(in_runs, at, block, count, begin, end);
    in_runs ? WholeBlocksOf(std::true_type(), at, block, count, begin, end)
            : WholeBlocksOf(std::false_type(), at, block, count, begin, end);
  }

 private:
  // Whether the loops of whole blocks stand once for each layout. Told at run time, the layout costs halves 5 %,
  // BFloat16 in float lanes, which have a copy each, 15 %; the others nothing, for half the code.
  static constexpr bool kBlocksApart = HWY_TARGET != HWY_SCALAR && (sizeof(T) == 4 || std::is_same_v<T, Half>);

  template <class InRuns>
  HWY_INLINE void WholeBlocksOf(InRuns in_runs, const AtSuper& at, std::int64_t block, std::int64_t count,
                                std::size_t begin, std::size_t end) const {
#if POSENC_WHOLE_VECTORS
    if constexpr (std::is_same_v<T, BFloat16>) {
      const double first = static_cast<double>(rows_.PositionOfRow(block));
      const double last = static_cast<double>(rows_.PositionOfRow(block + (count * kBlockRows - 1)));
      const double nearest = first > 0.0 ? first : -last;
      if (nearest * grid_.least_radians[at.group.index] >= kFloatLanesRadians) {
        const std::size_t in_floats = rows_.WholeVectors(at.group.index, begin, end, hn::Lanes(Singles()));
        in_runs ? FloatBlocks(std::true_type(), at, block, count, begin, in_floats)
                : FloatBlocks(std::false_type(), at, block, count, begin, in_floats);
        begin = in_floats;
      }
    }
#endif
    if (begin >= end) return;
#if POSENC_WHOLE_VECTORS
    if constexpr (sizeof(T) == 2) return WordBlocks(in_runs, at, block, count, begin, end);
#endif
    return DoubleBlocks(in_runs, at, block, count, begin, end);
  }

  // Stores everything, tests once a block, and goes over it again in the rare case that something is open. Tried and
  // lost: prefetching the places of the rows that follow takes a fifth of the speed in L2, and changes nothing in L3,
  // where memory that is read before it is written sets the pace.
  template <class InRuns>
  HWY_NOINLINE void DoubleBlocks(InRuns in_runs, const AtSuper& at, std::int64_t first_block, std::int64_t count,
                                 std::size_t begin, std::size_t end) const {
    const Doubles d;
    const Vec eps = hn::Set(d, eps_);
    const std::size_t k0 = at.group.index * kGroup;
    const std::size_t whole = rows_.WholeVectors(at.group.index, begin, end, hn::Lanes(d));
    // Lanes beyond those that count hold another frequency of the group, and are tested like any.
    const bool has_part = whole < end && k0 + end <= grid_.shape.cosines;
    const bool stream = rows_.output().streams();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const BlockRows rows{block, block, block + (kBlockRows - 1)};
      const int index = at.BlockIndex(block);
      const std::int64_t pairs = kRowRotations - (rows_.HasZero(rows) ? 1 : 0);
      const auto places = writer_.PlacesFrom(rows_.RowOf(block), k0);
      const auto row_of = [&](std::int64_t j, std::size_t k)
                              POSENC_INLINE_LAMBDA { return places.At(in_runs, j - block, k); };
      Vec tested_first = NoTest<T>(d), tested_second = NoTest<T>(d);
      const auto test = [&](Vec first, Vec first_low, Vec second, Vec second_low) POSENC_INLINE_LAMBDA {
        tested_first = AddTest<T>(d, tested_first, first, first_low, eps);
        tested_second = AddTest<T>(d, tested_second, second, second_low, eps);
      };
      std::size_t done = whole;
      if constexpr (kPairs) {
        Anchors<kPairs> anchors;
        rows_.recurrence().RotateAnchors(at.group, index, at.anchors, 0, kGroup, anchors);
        rows_.recurrence().ForRows(at.group, anchors, block, begin, whole, 0, pairs, row_of,
                                   [&](const auto& row, std::size_t k, Vec first, Vec first_low, Vec second,
                                       Vec second_low) POSENC_INLINE_LAMBDA {
                                     Writer<T>::Store(in_runs, d, first, second, row, k, stream);
                                     test(first, first_low, second, second_low);
                                   });
      } else {
        const auto anchor_of = AnchorsOf(at, index);
        rows_.recurrence().ForStrips(at.group, anchor_of, block, begin, whole, 0, pairs, row_of,
                                     [&](const auto& ahead, const auto& back, std::size_t k, Vec fa, Vec sa, Vec fb,
                                         Vec sb) POSENC_INLINE_LAMBDA {
                                       Writer<T>::Store(in_runs, d, fa, sa, ahead, k, stream);
                                       test(fa, fa, sa, sa);
                                       Writer<T>::Store(in_runs, d, fb, sb, back, k, stream);
                                       test(fb, fb, sb, sb);
                                     });
        if (hn::MaxLanes(d) > 1 && has_part) {
          done = end;
          rows_.recurrence().ForVector(at.group, anchor_of, block, whole, 0, pairs, row_of,
                                       [&](const auto& ahead, const auto& back, std::size_t, Vec fa, Vec sa, Vec fb,
                                           Vec sb) POSENC_INLINE_LAMBDA {
                                         Writer<T>::StorePart(d, fa, sa, ahead, end - whole);
                                         test(fa, fa, sa, sa);
                                         Writer<T>::StorePart(d, fb, sb, back, end - whole);
                                         test(fb, fb, sb, sb);
                                       });
        }
      }
      const bool open =
          !hn::AllFalse(d, hn::Or(Undecided<T>(d, tested_first, eps), Undecided<T>(d, tested_second, eps)));
      if (HWY_UNLIKELY(open)) hwy::FlushStream();  // what is repaired comes after what was streamed
      if (HWY_UNLIKELY(open || done < end || rows_.HasZero(rows))) {
        rows_.FinishBlock(at, rows, begin, open ? begin : done, end);
      }
    }
  }

  // For ForRows and ForStrips: the anchors of a block, rotated from the super-anchor each time.
  HWY_INLINE auto AnchorsOf(const AtSuper& at, int block_index) const {
    return [this, &at, block_index](std::size_t k, Vec& first, Vec& first_low, Vec& second,
                                    Vec& second_low) POSENC_INLINE_LAMBDA {
      rows_.recurrence().AnchorFrom(at.group, block_index, at.anchors, k, first, first_low, second, second_low);
    };
  }

#if POSENC_WHOLE_VECTORS
  // The same for 16-bit elements, which are tested before they are stored: too many are open for a block in one.
  template <class InRuns>
  HWY_NOINLINE void WordBlocks(InRuns in_runs, const AtSuper& at, std::int64_t first_block, std::int64_t count,
                               std::size_t begin, std::size_t end) const {
    const Doubles d;
    const std::size_t k0 = at.group.index * kGroup;
    const std::size_t whole = rows_.WholeVectors(at.group.index, begin, end, hn::Lanes(d));
    const bool stream = rows_.output().streams();
    const WordTest<T> test(eps_);
    struct Row {
      typename Writer<T>::RowStart start;
      std::int64_t j;
      std::size_t strip;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const BlockRows rows{block, block, block + (kBlockRows - 1)};
      const auto places = writer_.PlacesFrom(rows_.RowOf(block), k0);
      rows_.recurrence().ForStrips(
          at.group, AnchorsOf(at, at.BlockIndex(block)), block, begin, whole, 0,
          kRowRotations - (rows_.HasZero(rows) ? 1 : 0),
          [&](std::int64_t j, std::size_t k) POSENC_INLINE_LAMBDA {
            return Row{places.At(in_runs, j - block, k), j, k};
          },
          [&](const Row& ahead, const Row& back, std::size_t k, Vec fa, Vec sa, Vec fb, Vec sb) POSENC_INLINE_LAMBDA {
            const SingleVec a = JoinFloats(in_runs, d, fa, sa), b = JoinFloats(in_runs, d, fb, sb);
            if (HWY_LIKELY(test.BothDecided(a, b))) {
              Writer<T>::StoreJoined(in_runs, a, ahead.start, k, stream);
              Writer<T>::StoreJoined(in_runs, b, back.start, k, stream);
            } else {
              DecidePair(at, block, std::min(ahead.j, back.j), ahead.strip + k, hn::Lanes(d));
            }
          });
      if (HWY_UNLIKELY(whole < end || rows_.HasZero(rows))) rows_.FinishBlock(at, rows, begin, whole, end);
    }
  }

  // The same in float lanes, for whole vectors of floats.
  template <class InRuns>
  HWY_NOINLINE void FloatBlocks(InRuns in_runs, const AtSuper& at, std::int64_t first_block, std::int64_t count,
                                std::size_t begin, std::size_t end) const {
    const Doubles d;
    const Singles ds;
    const hn::Half<Singles> dh;
    const std::size_t k0 = at.group.index * kGroup;
    const SingleVec eps = hn::Set(ds, static_cast<float>(kFloatLanesEps * grid_.eps_scale));
    const std::size_t lanes = hn::Lanes(ds);
    const bool cos_first = grid_.cos_first;
    const bool stream = rows_.output().streams();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const auto places = writer_.PlacesFrom(rows_.RowOf(block), k0);
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
          const std::int64_t later = kRowRotations + pair, earlier = kRowRotations - 1 - pair;
          visit(places.At(in_runs, cos_first ? earlier : later, k), places.At(in_runs, cos_first ? later : earlier, k),
                rotation, block + earlier);
        }
      };
      const auto both = [&](const auto& ahead, const auto& back, const float* HWY_RESTRICT rotation,
                            std::int64_t earlier, std::size_t strip, std::size_t k, SingleVec first,
                            SingleVec second) POSENC_INLINE_LAMBDA {
        const FloatPair v =
            RotateFloats(first, second, hn::Load(ds, rotation + k), hn::Load(ds, rotation + kGroup + k));
        if (HWY_LIKELY(DecidedFloats(v, eps))) {
          Writer<T>::StoreFloats(in_runs, v.first_ahead, v.second_ahead, ahead, k, stream);
          Writer<T>::StoreFloats(in_runs, v.first_back, v.second_back, back, k, stream);
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

  // count frequencies from k on, in double lanes, of the pair of rows of a block whose earlier one is given.
  HWY_NOINLINE void DecidePair(const AtSuper& at, std::int64_t block, std::int64_t earlier, std::size_t k,
                               std::size_t count) const {
    const Doubles d;
    const Vec eps = hn::Set(d, eps_);
    const std::int64_t pair = block + kRowRotations - 1 - earlier, later = block + kRowRotations + pair;
    const double* const rotation = at.group.rotation + static_cast<std::size_t>(pair) * 2 * kGroup;
    const auto anchor_of = AnchorsOf(at, at.BlockIndex(block));
    const std::size_t k0 = at.group.index * kGroup;
    const auto ahead = writer_.Places(rows_.RowOf(grid_.cos_first ? earlier : later), k0);
    const auto back = writer_.Places(rows_.RowOf(grid_.cos_first ? later : earlier), k0);
    const auto undecided = [&](Vec v) POSENC_INLINE_LAMBDA { return Undecided<T>(d, Test<T>(d, v, v, eps), eps); };
    for (std::size_t end = k + count; k < end; k += hn::Lanes(d)) {
      Vec first, second, low;
      anchor_of(k, first, low, second, low);
      Recurrence<kPairs>::RotateBoth(rotation, rotation, k, first, first, second, second,
                                     [&](Vec fa, Vec, Vec sa, Vec, Vec fb, Vec, Vec sb, Vec) POSENC_INLINE_LAMBDA {
                                       const Mask open = hn::Or(hn::Or(undecided(fa), undecided(sa)),
                                                                hn::Or(undecided(fb), undecided(sb)));
                                       if (HWY_UNLIKELY(!hn::AllFalse(d, open))) {
                                         return rows_.DecidePair(at, block, earlier, k, hn::Lanes(d));
                                       }
                                       writer_.StoreAny(d, fa, sa, ahead, k);
                                       writer_.StoreAny(d, fb, sb, back, k);
                                     });
    }
  }
#endif  // POSENC_WHOLE_VECTORS

  const Rows& rows_;
  const FrequencyGrid& grid_;
  const Writer<T> writer_;
  const double eps_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_BLOCKS_INL_H_TOGGLE
