// Room kernels: groups of frequencies at the anchors of a block go in, its rows, added to x, go to the store; per
// target.

#if defined(POSENC_SRC_ADDED_ROWS_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_ADDED_ROWS_INL_H_TOGGLE
#undef POSENC_SRC_ADDED_ROWS_INL_H_TOGGLE
#else
#define POSENC_SRC_ADDED_ROWS_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/lanes-inl.h"
#include "src/positions-inl.h"
#include "src/range_rows-inl.h"
#include "src/recurrence-inl.h"
#include "src/rounding-inl.h"
#include "src/store-inl.h"
#include "src/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if POSENC_WHOLE_VECTORS
// What sums stay below for a test, and its limit: a power of two that errors are not above.
//
// E = 2^-49 eps_scale is the error of a value. With FMA a sum s has an error of ulp(s) / 2 + E. That is at most 2 E or
// below ulp(s), and then nothing is open but a sum that is a middle itself: its distance is a multiple of ulp(s). So 2
// E does for sums of any size. Without FMA the product is rounded too, and sums below 2^k max(1, eps_scale) have errors
// up to AddTo's bound for them, 2^-47 eps_scale + 2^(k-51) max(1, eps_scale).
struct SumLimits {
  // exponent: k where there is no FMA; at least 4.
  SumLimits(double eps_scale, HWY_MAYBE_UNUSED int exponent) {
#if HWY_NATIVE_FMA
    most_squared = 0x1p126f;
    eps = 0x1p-48 * eps_scale;
#else
    const double most = std::ldexp(std::max(1.0, eps_scale), exponent);
    most_squared = static_cast<float>(std::min(most * most, 0x1p126));
    eps = 0x1p-50 * most;
#endif
  }
  float most_squared;  // of the sum of all squares: above 2^63 they overflow, and no test lets infinity pass
  double eps;
};

// The tests of vectors of sums in one: that the rounding of all is certain within the error of the largest, and that
// none is large or NaN. With a limit for each value a vector takes seven operations, not three.
template <class T>
class SumTest {
 public:
  HWY_INLINE explicit SumTest(const SumLimits& limits) : limits_(limits) {}

  // joined: the floats nearest to first and second. is_first: a std::bool_constant, of the vectors of this test.
  template <class IsFirst>
  HWY_INLINE void Add(IsFirst is_first, Doubles d, HWY_MAYBE_UNUSED Vec first, HWY_MAYBE_UNUSED Vec second,
                      HWY_MAYBE_UNUSED SingleVec joined) {
    static_cast<void>(d);
    if constexpr (sizeof(T) == 2) {
      away_ = is_first ? WordTest<T>::Away(joined) : hn::Min(away_, WordTest<T>::Away(joined));
      least_ = is_first ? hn::Abs(joined) : SmallerSize(least_, joined);
    } else {
      const Vec from_first = FromMiddleOfCell<T>(d, first), from_second = FromMiddleOfCell<T>(d, second);
      nearest_first_ = is_first ? hn::Abs(from_first) : SmallerSize(nearest_first_, from_first);
      nearest_second_ = is_first ? hn::Abs(from_second) : SmallerSize(nearest_second_, from_second);
    }
  }

  // The sizes of two of them. Their squares are summed, on pipes that the rest leaves idle, and NaN stays NaN; with FMA
  // their product does, for only NaN and infinity matter, which no sum of products loses.
  HWY_INLINE void AddSizes(SingleVec a, SingleVec b) {
#if HWY_NATIVE_FMA
    sizes_ = hn::MulAdd(a, b, sizes_);
#else
    sizes_ = hn::MulAdd(a, a, hn::MulAdd(b, b, sizes_));
#endif
  }

  HWY_INLINE bool Decided(Doubles d) const {
    const Singles ds;
    const bool small = hn::AllTrue(ds, hn::Lt(hn::Abs(sizes_), hn::Set(ds, limits_.most_squared)));
    if constexpr (sizeof(T) == 2) {
      static_cast<void>(d);
      return small & WordTest<T>(limits_.eps).Decided(away_, least_);
    } else {
      return small & hn::AllTrue(d, hn::Gt(hn::Min(nearest_first_, nearest_second_), hn::Set(d, limits_.eps)));
    }
  }

 private:
  const SumLimits& limits_;
  SingleVec sizes_ = hn::Zero(Singles());
  Vec nearest_first_, nearest_second_;  // of floats
  hn::Vec<SingleBits> away_;            // of 16-bit types
  SingleVec least_;
};
#endif  // POSENC_WHOLE_VECTORS

// Adds whole blocks of the rows of a range to x. Everything is tested before it is stored: x may be what is written.
//
// Rows of floats and narrower types go one after the other, in the order of memory: read in pairs from the middle of a
// block, memory gives a loop that does nothing else 26 GB/s here, in order 34. The products that two rows at equal
// distances from the anchor share are worth that where the lanes are the limit: for doubles, and on ARM.
template <class T>
class RowAdder {
 public:
  static constexpr bool kPairs = std::is_same_v<T, double>;

  explicit RowAdder(const RangeRows<kPairs>& rows)
      : rows_(rows), writer_(rows.output()), eps_(kEps<T> * rows.grid().eps_scale) {}

  // A block of some groups, none with a small angle in every row.
  HWY_NOINLINE void Block(const Anchored<kPairs>* groups, std::size_t count, std::int64_t block) const {
    const bool in_runs = rows_.output().in_runs();
    if constexpr (kByPairs) {
      Pairs(groups, count, block);
    } else if constexpr (kLayoutsApart) {
      in_runs ? Rows(std::true_type(), groups, count, block) : Rows(std::false_type(), groups, count, block);
    } else {
      Rows(in_runs, groups, count, block);
    }
    // What has no whole vector, and position 0, which no rotation gives.
    const bool has_zero = HasZero(block);
    for (std::size_t i = has_zero ? 0 : count - 1; i < count; ++i) {
      const std::size_t g = groups[i].group->index;
      const std::size_t end = std::min(kGroup, rows_.grid().shape.sines - g * kGroup), whole = Whole(groups[i]);
      if (whole < end) {
        rows_.Decide(*groups[i].group, groups[i].anchors, {block, block, block + (kBlockRows - 1)}, whole, end, false);
      }
      if (has_zero) DecideRow(groups[i], block, block, 0, whole);
    }
  }

 private:
  static constexpr bool kByPairs = kPairs || !POSENC_WHOLE_VECTORS;

  // Whether the loop of strips stands once for each layout. Told at run time, it costs the other types nothing.
  static constexpr bool kLayoutsApart = sizeof(T) == 4;

  // Whether the first row of the block is position 0.
  bool HasZero(std::int64_t block) const { return rows_.PositionOfRow(block) == 0; }

  // The end of the whole vectors of a group.
  HWY_INLINE std::size_t Whole(const Anchored<kPairs>& group) const {
    return rows_.WholeVectors(group.group->index, 0, kGroup, hn::Lanes(Doubles()));
  }

  // Frequencies from .. below end of row j, with a limit for each value.
  void DecideRow(const Anchored<kPairs>& group, std::int64_t block, std::int64_t j, std::size_t from,
                 std::size_t end) const {
    rows_.Decide(*group.group, group.anchors, {block, j, j}, from, end, false);
  }

#if POSENC_WHOLE_VECTORS
  // How far ahead in its rows x is prefetched: from memory 23.3 GB/s here, 21.5 with 10 KiB, 22.8 with 24.
  static constexpr std::size_t kPrefetchBytes = 16 << 10;

  // Vectors that are tested in one. More sums of 16-bit types are open: one in 2^13 halfs.
  static constexpr std::size_t kStrip = 4;

  // Vectors of frequencies of a group, from k of all on.
  struct Strip {
    const double* HWY_RESTRICT anchors;   // first values; second ones kGroup behind
    const double* HWY_RESTRICT rotation;  // of the nearest pair: cosines; sines kGroup behind
    std::size_t k;
    const Anchored<kPairs>* group;
  };

  // A row that is added to x. turn: 0 where it is ahead of the anchor, -0 where it is back.
  struct AddedRow {
    Start<T> to;
    Start<const T> x, next;  // next: of the row to prefetch
    std::size_t rotation;
    Vec turn;
  };

  // The whole vectors of the rows of a block, in the order of memory, but for position 0.
  template <class InRuns>
  HWY_NOINLINE void Rows(InRuns in_runs, const Anchored<kPairs>* groups, std::size_t count, std::int64_t block) const {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    Strip strips[kChunkGroups * kGroup / (kStrip * hn::MaxLanes(Doubles()))];
    Strip* strips_end = strips;
    std::size_t left = 0;  // of the last group
    for (std::size_t i = 0; i < count; ++i) {
      const Group& group = *groups[i].group;
      const std::size_t end = Whole(groups[i]);
      std::size_t k = 0;
      for (; k + kStrip * lanes <= end; k += kStrip * lanes) {
        *strips_end++ = {groups[i].anchors.first + k, group.rotation + k, group.index * kGroup + k, groups + i};
      }
      left = end - k;
    }
    const SumLimits few_open(rows_.grid().eps_scale, 7);
    const bool stream = rows_.output().streams();
    const bool cos_first = rows_.grid().cos_first;
    const Vec scale = writer_.x_scale(d);
    const auto to = rows_.output().template PlacesFrom<T>(rows_.RowOf(block), 0);
    const auto x = rows_.output().template XPlacesFrom<T>(rows_.RowOf(block), 0);
    const std::size_t row_bytes = count * kGroup * 2 * sizeof(T);
    const auto ahead = static_cast<std::int64_t>((kPrefetchBytes + row_bytes - 1) / row_bytes);
    for (std::int64_t i = HasZero(block) ? 1 : 0; i < kBlockRows; ++i) {
      const bool later = i >= kRowRotations;
      const std::int64_t pair = later ? i - kRowRotations : kRowRotations - 1 - i;
      const AddedRow row{to.At(in_runs, i, 0), x.At(in_runs, i, 0), x.At(in_runs, i + ahead, 0),
                         static_cast<std::size_t>(pair) * 2 * kGroup, hn::Set(d, later != cos_first ? 0.0 : -0.0)};
      for (const Strip* strip = strips; strip != strips_end; ++strip) {
        if (HWY_UNLIKELY(!Add<kStrip>(in_runs, *strip, row, stream, scale, few_open))) {
          OneByOne(*strip, row, block, block + i, kStrip * lanes);
        }
      }
      if (left != 0) {
        const Anchored<kPairs>& last = groups[count - 1];
        const std::size_t k = Whole(last) - left;
        OneByOne({last.anchors.first + k, last.group->rotation + k, last.group->index * kGroup + k, &last}, row, block,
                 block + i, left);
      }
    }
  }

  // Some vectors tested one by one.
  HWY_NOINLINE void OneByOne(Strip strip, const AddedRow& row, std::int64_t block, std::int64_t j,
                             std::size_t count) const {
    const SumLimits all_but_large(rows_.grid().eps_scale, 12);
    const std::size_t lanes = hn::Lanes(Doubles());
    for (std::size_t done = 0; done < count; done += lanes) {
      if (!Add<1>(rows_.output().in_runs(), strip, row, rows_.output().streams(), writer_.x_scale(Doubles()),
                  all_but_large)) {
        const std::size_t k = strip.k % kGroup;
        DecideRow(*strip.group, block, j, k, k + lanes);
      }
      strip.anchors += lanes;
      strip.rotation += lanes;
      strip.k += lanes;
    }
  }

  // Adds a strip of a row, if no sum is large and the rounding of all is certain within the error of the largest; else
  // false, and nothing is stored.
  // Floats in cache run at 25 GB/s here, without the test at 30. A loop of nothing but these operations does 29, and 28
  // from memory, where a loop that scales in place does 34. Tried and lost: the subtraction of the test as a fused one,
  // on other pipes; integers for its minimum; all vectors step by step in turn; strips of two vectors.
  template <std::size_t kVectors, class InRuns>
  HWY_INLINE bool Add(InRuns in_runs, const Strip& strip, const AddedRow& row, bool stream, Vec scale,
                      const SumLimits& limits) const {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const double* HWY_RESTRICT const anchors = strip.anchors;
    const double* HWY_RESTRICT const rotation = strip.rotation + row.rotation;
    const auto to = row.to.From(in_runs, strip.k);
    const auto x = row.x.From(in_runs, strip.k), next = row.next.From(in_runs, strip.k);
    const auto prefetch = [&](bool once) POSENC_INLINE_LAMBDA {
      constexpr std::size_t kLine = 64 / sizeof(T);
      const auto line = [&](std::size_t i) POSENC_INLINE_LAMBDA {
        const std::size_t at = i * (in_runs ? kLine : kLine / 2);
        if (at < kVectors * lanes) Writer<T>::Prefetch(in_runs, next, at, once);
      };
      line(0);
      line(1);
      line(2);
      line(3);
    };
    stream ? prefetch(true) : prefetch(false);
    SumTest<T> test(limits);
    const auto add = [&](auto is_first, std::size_t vector) POSENC_INLINE_LAMBDA {
      const std::size_t at = vector * lanes;
      Vec first = hn::Load(d, anchors + at), second = hn::Load(d, anchors + kGroup + at), x_first, x_second;
      Recurrence<kPairs>::RotateOne(rotation, row.turn, at, first, second);
      Writer<T>::Load(in_runs, d, x, at, x_first, x_second);
      first = hn::MulAdd(scale, x_first, first);
      second = hn::MulAdd(scale, x_second, second);
      const SingleVec joined = JoinFloats(in_runs, d, first, second);
      test.Add(is_first, d, first, second, joined);
      return joined;
    };
    static_assert(kVectors == 1 || kVectors == 4);
    const SingleVec f0 = add(std::true_type(), 0);
    SingleVec f1 = f0, f2 = f0, f3 = f0;
    if constexpr (kVectors > 1) {
      f1 = add(std::false_type(), 1);
      test.AddSizes(f0, f1);
      f2 = add(std::false_type(), 2);
      f3 = add(std::false_type(), 3);
    }
    test.AddSizes(f2, f3);
    if (HWY_UNLIKELY(!test.Decided(d))) return false;
    const auto store = [&](std::size_t vector, SingleVec joined) POSENC_INLINE_LAMBDA {
      Writer<T>::StoreJoined(in_runs, joined, to, vector * lanes, stream);
    };
    store(0, f0);
    if constexpr (kVectors > 1) {
      store(1, f1);
      store(2, f2);
      store(3, f3);
    }
    return true;
  }
#endif  // POSENC_WHOLE_VECTORS

  // How many pairs of rows before they are read x is prefetched.
  static constexpr std::int64_t kPrefetchPairs = 2;

  // The whole vectors of a block by pairs of rows, one by one, but for position 0.
  HWY_NOINLINE void Pairs(const Anchored<kPairs>* groups, std::size_t count, std::int64_t block) const {
    const bool in_runs = rows_.output().in_runs(), stream = rows_.output().streams();
    const bool cos_first = rows_.grid().cos_first;
    const std::size_t lanes = hn::Lanes(Doubles());
    const auto to = rows_.output().template PlacesFrom<T>(rows_.RowOf(block), 0);
    const auto x = rows_.output().template XPlacesFrom<T>(rows_.RowOf(block), 0);
    for (std::int64_t pair = 0; pair < kRowRotations - (HasZero(block) ? 1 : 0); ++pair) {
      const std::int64_t earlier = kRowRotations - 1 - pair, later = kRowRotations + pair;
      // The pair that is prefetched, of this block or the next.
      const std::int64_t away = pair + kPrefetchPairs, apart = away % kRowRotations;
      const std::int64_t next_middle = (away < kRowRotations ? 0 : kBlockRows) + kRowRotations;
      const std::int64_t next_earlier = next_middle - 1 - apart, next_later = next_middle + apart;
      for (std::size_t i = 0; i < count; ++i) {
        const Anchored<kPairs>& group = groups[i];
        const std::size_t k0 = group.group->index * kGroup;
        const std::size_t end = Whole(group);
        const std::size_t at = static_cast<std::size_t>(pair) * 2 * kGroup;
        for (std::size_t k = 0; k < end; k += lanes) {
          Vec first, first_low, second, second_low;
          group.anchors(k, first, first_low, second, second_low);
          const auto add = [&](std::int64_t row, std::int64_t next, Vec f, Vec f_low, Vec s, Vec s_low)
                               POSENC_INLINE_LAMBDA {
                                 Writer<T>::Prefetch(in_runs, x.At(in_runs, next, k0 + k), 0, stream);
                                 if (HWY_UNLIKELY(!AddVector(in_runs, to.At(in_runs, row, k0 + k),
                                                             x.At(in_runs, row, k0 + k), f, f_low, s, s_low))) {
                                   DecideRow(group, block, block + row, k, k + lanes);
                                 }
                               };
          Recurrence<kPairs>::RotateBoth(
              group.group->rotation + at, group.group->rotation_low + at, k, first, first_low, second, second_low,
              [&](Vec fa, Vec fa_low, Vec sa, Vec sa_low, Vec fb, Vec fb_low, Vec sb, Vec sb_low) POSENC_INLINE_LAMBDA {
                add(cos_first ? earlier : later, cos_first ? next_earlier : next_later, fa, fa_low, sa, sa_low);
                add(cos_first ? later : earlier, cos_first ? next_later : next_earlier, fb, fb_low, sb, sb_low);
              });
        }
      }
    }
    if (HasZero(block)) {  // what the pair of position 0 has left
      for (std::size_t i = 0; i < count; ++i) {
        DecideRow(groups[i], block, block + (kBlockRows - 1), 0, Whole(groups[i]));
      }
    }
  }

  // Adds a vector of a row if its rounding is certain, with a limit for each value; else false, and nothing is stored.
  HWY_INLINE bool AddVector(bool in_runs, const Start<T>& to, const Start<const T>& x, Vec first, Vec first_low,
                            Vec second, Vec second_low) const {
    const Doubles d;
    const Vec scale = writer_.x_scale(d);
    Vec first_limit = hn::Set(d, eps_), second_limit = first_limit, x_first, x_second;
    Writer<T>::Load(in_runs, d, x, 0, x_first, x_second);
    Writer<T>::AddTo(d, scale, x_first, true, false, first, first_low, first_limit);
    Writer<T>::AddTo(d, scale, x_second, true, false, second, second_low, second_limit);
    const Mask decided =
        hn::And(Decided<T>(d, first, first_low, first_limit), Decided<T>(d, second, second_low, second_limit));
    if (HWY_UNLIKELY(!hn::AllTrue(d, decided))) return false;
    Writer<T>::Store(in_runs, d, first, second, to, 0, rows_.output().streams());
    return true;
  }

  const RangeRows<kPairs>& rows_;
  const Writer<T> writer_;
  const double eps_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_ADDED_ROWS_INL_H_TOGGLE
