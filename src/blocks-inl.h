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

  // The vector of frequencies from k of all on in a whole block; whether its rounding is certain.
  HWY_NOINLINE bool Column(const ColumnWaves& waves, std::int64_t block, std::size_t k) const {
    const Doubles d;
    const bool in_runs = rows_.output().in_runs(), stream = rows_.output().streams();
    const auto places = rows_.output().template PlacesFrom<T>(rows_.RowOf(block), k);
    Vec beyond = hn::Set(d, 1.0);  // how far from middles beyond the limits
    for (std::int64_t i = 0; i < kBlockRows; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * ColumnWaves::kLanes;
      const Vec first = hn::Load(d, waves.first + at), second = hn::Load(d, waves.second + at);
      Writer<T>::Store(in_runs, d, first, second, places.At(in_runs, i, 0), 0, stream);
      beyond = hn::Min(beyond, hn::Sub(FromMiddle<T>(d, first), hn::Load(d, waves.first_limit + at)));
      beyond = hn::Min(beyond, hn::Sub(FromMiddle<T>(d, second), hn::Load(d, waves.second_limit + at)));
    }
    return hn::AllTrue(d, hn::Gt(beyond, hn::Zero(d)));
  }

 private:
  // Whether runs of sines and of cosines are written by rows. A strip of 16 registers is half a line of memory in each
  // run or less, and lines that go past the caches have to be written whole: 5 GB/s of halves by strips here, 9 by
  // rows; 11 and 20 of floats. With 32 registers a strip is whole lines, and faster than anchors from memory. Floats of
  // 8 bytes a run do not go past the caches, and lose a fifth by rows.
  static constexpr bool kRunsByRows =
      POSENC_WHOLE_VECTORS && !POSENC_MANY_REGISTERS && !kPairs && (sizeof(T) == 2 || hn::MaxLanes(Doubles()) >= 4);
  template <class InRuns>
  static constexpr bool kByRows = kRunsByRows&& std::is_same_v<InRuns, std::true_type>;

  // Whether the loops of whole blocks stand once for each layout. Told at run time, the layout costs halves 5 %,
  // BFloat16 in float lanes, which have a copy each, 15 %; the others nothing, for half the code.
  static constexpr bool kBlocksApart =
      HWY_TARGET != HWY_SCALAR && (sizeof(T) == 4 || std::is_same_v<T, Half> || kRunsByRows);

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
    if constexpr (sizeof(T) == 2) {
      if constexpr (kByRows<InRuns>) {
        return WordRuns(at, block, count, begin, end);
      } else {
        return WordBlocks(in_runs, at, block, count, begin, end);
      }
    }
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
      const auto places = rows_.output().template PlacesFrom<T>(rows_.RowOf(block), k0);
      const auto row_of = [&](std::int64_t j, std::size_t k)
                              POSENC_INLINE_LAMBDA { return places.At(in_runs, j - block, k); };
      Vec tested_first = NoTest<T>(d), tested_second = NoTest<T>(d);
      const auto test = [&](Vec first, Vec first_low, Vec second, Vec second_low) POSENC_INLINE_LAMBDA {
        tested_first = AddTest<T>(d, tested_first, first, first_low, eps);
        tested_second = AddTest<T>(d, tested_second, second, second_low, eps);
      };
      std::size_t done = whole;
      HWY_MAYBE_UNUSED const auto anchor_of = AnchorsOf(at, index);
      if constexpr (kPairs || kByRows<InRuns>) {
        Anchors<kPairs> anchors;
        rows_.recurrence().RotateAnchors(at.group, index, at.anchors, 0, kGroup, anchors);
        rows_.recurrence().ForRows(at.group, anchors, block, begin, whole, 0, pairs, row_of,
                                   [&](const auto& row, std::size_t k, Vec first, Vec first_low, Vec second,
                                       Vec second_low) POSENC_INLINE_LAMBDA {
                                     Writer<T>::Store(in_runs, d, first, second, row, k, stream);
                                     test(first, first_low, second, second_low);
                                   });
      } else {
        rows_.recurrence().ForStrips(at.group, anchor_of, block, begin, whole, 0, pairs, row_of,
                                     [&](const auto& ahead, const auto& back, std::size_t k, Vec fa, Vec sa, Vec fb,
                                         Vec sb) POSENC_INLINE_LAMBDA {
                                       Writer<T>::Store(in_runs, d, fa, sa, ahead, k, stream);
                                       test(fa, fa, sa, sa);
                                       Writer<T>::Store(in_runs, d, fb, sb, back, k, stream);
                                       test(fb, fb, sb, sb);
                                     });
      }
      if constexpr (!kPairs) {
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
      Start<T> start;
      std::int64_t j;
      std::size_t strip;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const BlockRows rows{block, block, block + (kBlockRows - 1)};
      const auto places = rows_.output().template PlacesFrom<T>(rows_.RowOf(block), k0);
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
      const auto places = rows_.output().template PlacesFrom<T>(rows_.RowOf(block), k0);
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
      if constexpr (!POSENC_MANY_REGISTERS) {
        HWY_ALIGN_MAX float anchors[2][kGroup];
        for (std::size_t k = begin; k < end; k += lanes) {
          SingleVec first, second;
          float_anchor_of(k, first, second);
          hn::Store(first, ds, anchors[0] + k);
          hn::Store(second, ds, anchors[1] + k);
        }
        for_pairs(0, [&](const auto& ahead, const auto& back, const float* HWY_RESTRICT rotation,
                         std::int64_t earlier) POSENC_INLINE_LAMBDA {
          for (std::size_t k = begin; k < end; k += lanes) {
            both(ahead, back, rotation, earlier, 0, k, hn::Load(ds, anchors[0] + k), hn::Load(ds, anchors[1] + k));
          }
        });
        continue;
      }
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

  // The same for runs of sines and of cosines, by rows, two vectors at a time: 16 bytes of each run on AVX2.
  HWY_NOINLINE void WordRuns(const AtSuper& at, std::int64_t first_block, std::int64_t count, std::size_t begin,
                             std::size_t end) const {
    const std::size_t lanes = hn::Lanes(Doubles());
    // Streams want whole vectors aligned; it is behind small angles alone that begin is not.
    const std::size_t whole =
        begin % (2 * lanes) == 0 ? rows_.WholeVectors(at.group.index, begin, end, 2 * lanes) : begin;
    const bool stream = rows_.output().streams(), cos_first = grid_.cos_first;
    const WordTest<T> test(eps_);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t block = first_block + i * kBlockRows;
      const BlockRows rows{block, block, block + (kBlockRows - 1)};
      const auto places = rows_.output().template PlacesFrom<T>(rows_.RowOf(block), at.group.index * kGroup);
      Anchors<kPairs> anchors;
      rows_.recurrence().RotateAnchors(at.group, at.BlockIndex(block), at.anchors, begin, whole, anchors);
      for (std::int64_t pair = 0; pair < kRowRotations - (rows_.HasZero(rows) ? 1 : 0); ++pair) {
        const std::int64_t later = kRowRotations + pair, earlier = kRowRotations - 1 - pair;
        const auto ahead = places.At(std::true_type(), cos_first ? earlier : later, 0);
        const auto back = places.At(std::true_type(), cos_first ? later : earlier, 0);
        const double* HWY_RESTRICT const rotation = at.group.rotation + static_cast<std::size_t>(pair) * 2 * kGroup;
        for (std::size_t k = begin; k < whole; k += 2 * lanes) {
          const FloatPair v = RotateTwo(anchors, rotation, k);
          if (HWY_LIKELY(test.BothDecided(v.first_ahead, v.second_ahead)) &&
              HWY_LIKELY(test.BothDecided(v.first_back, v.second_back))) {
            Writer<T>::StoreFloats(std::true_type(), v.first_ahead, v.second_ahead, ahead, k, stream);
            Writer<T>::StoreFloats(std::true_type(), v.first_back, v.second_back, back, k, stream);
          } else {
            DecidePair(at, block, block + earlier, k, 2 * lanes);
          }
        }
      }
      if (HWY_UNLIKELY(whole < end || rows_.HasZero(rows))) rows_.FinishBlock(at, rows, begin, whole, end);
    }
  }

  // Two vectors from frequency k on in a pair of rows, as floats.
  static HWY_INLINE FloatPair RotateTwo(const Anchors<kPairs>& anchors, const double* HWY_RESTRICT rotation,
                                        std::size_t k) {
    const Doubles d;
    // Not arrays, which GCC keeps in memory.
    const auto rotate = [&](std::size_t at, Vec& fa, Vec& sa, Vec& fb, Vec& sb) POSENC_INLINE_LAMBDA {
      Vec first, second, low;
      anchors(at, first, low, second, low);
      Recurrence<kPairs>::RotateBoth(rotation, rotation, at, first, first, second, second,
                                     [&](Vec first_ahead, Vec, Vec second_ahead, Vec, Vec first_back, Vec,
                                         Vec second_back, Vec) POSENC_INLINE_LAMBDA {
                                       fa = first_ahead;
                                       sa = second_ahead;
                                       fb = first_back;
                                       sb = second_back;
                                     });
    };
    Vec fa0, sa0, fb0, sb0, fa1, sa1, fb1, sb1;
    rotate(k, fa0, sa0, fb0, sb0);
    rotate(k + hn::Lanes(d), fa1, sa1, fb1, sb1);
    return {JoinFloats(std::true_type(), d, fa0, fa1), JoinFloats(std::true_type(), d, sa0, sa1),
            JoinFloats(std::true_type(), d, fb0, fb1), JoinFloats(std::true_type(), d, sb0, sb1)};
  }

  // count frequencies from k on, in double lanes, of the pair of rows of a block whose earlier one is given: one vector
  // or two.
  HWY_NOINLINE void DecidePair(const AtSuper& at, std::int64_t block, std::int64_t earlier, std::size_t k,
                               std::size_t count) const {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const Vec eps = hn::Set(d, eps_);
    const std::int64_t pair = block + kRowRotations - 1 - earlier, later = block + kRowRotations + pair;
    const double* const rotation = at.group.rotation + static_cast<std::size_t>(pair) * 2 * kGroup;
    const auto anchor_of = AnchorsOf(at, at.BlockIndex(block));
    // First and second values of the row ahead, then of the row back.
    HWY_ALIGN_MAX double values[4][2 * hn::MaxLanes(Doubles())];
    Vec tested = NoTest<T>(d);
    for (std::size_t i = 0; i < count; i += lanes) {
      Vec first, second, low;
      anchor_of(k + i, first, low, second, low);
      const auto keep = [&](int which, Vec v) POSENC_INLINE_LAMBDA {
        tested = hn::Min(tested, FromMiddle<T>(d, v));
        hn::Store(v, d, values[which] + i);
      };
      Recurrence<kPairs>::RotateBoth(rotation, rotation, k + i, first, first, second, second,
                                     [&](Vec fa, Vec, Vec sa, Vec, Vec fb, Vec, Vec sb, Vec) POSENC_INLINE_LAMBDA {
                                       keep(0, fa);
                                       keep(1, sa);
                                       keep(2, fb);
                                       keep(3, sb);
                                     });
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, Undecided<T>(d, tested, eps)))) {
      return rows_.DecidePair(at, block, earlier, k, count);
    }
    const auto store = [&](const double* first, const double* second, std::int64_t j) HWY_ATTR {
      const auto row = writer_.Places(rows_.RowOf(j), at.group.index * kGroup + k);
      if (count == 2 * lanes) {  // of a line that may go past the caches: as much of it at once as its neighbours
        const auto odd = [&](const double* v) POSENC_INLINE_LAMBDA {
          return JoinFloats(std::true_type(), d, MakeOdd(d, hn::Load(d, v)), MakeOdd(d, hn::Load(d, v + lanes)));
        };
        return Writer<T>::StoreFloats(rows_.output().in_runs(), odd(first), odd(second), row, 0,
                                      rows_.output().streams());
      }
      for (std::size_t i = 0; i < count; i += lanes) {
        writer_.StoreAny(d, hn::Load(d, first + i), hn::Load(d, second + i), row, i);
      }
    };
    store(values[0], values[1], grid_.cos_first ? earlier : later);
    store(values[2], values[3], grid_.cos_first ? later : earlier);
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
