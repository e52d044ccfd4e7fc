// Room kernels: groups of frequencies at the anchors of a block go in, pairs of its rows that are added to x go to the
// store; per target.

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
// none is large or NaN. Their squares are summed for it: one operation for a vector of floats, on pipes that the
// rest leaves idle, and NaN stays NaN. With a limit for each value a vector takes seven operations, not three.
template <class T>
class SumTest {
 public:
  HWY_INLINE explicit SumTest(const SumLimits& limits) : limits_(limits) {}

  // joined: the floats nearest to first and second.
  HWY_INLINE void Add(Doubles d, HWY_MAYBE_UNUSED Vec first, HWY_MAYBE_UNUSED Vec second, SingleVec joined) {
    static_cast<void>(d);
    squares_ = hn::MulAdd(joined, joined, squares_);
    if constexpr (sizeof(T) == 2) {
      away_ = hn::Min(away_, WordTest<T>::Away(joined));
      least_ = SmallerSize(least_, joined);
    } else {
      nearest_first_ = SmallerSize(nearest_first_, FromMiddleOfCell<T>(d, first));
      nearest_second_ = SmallerSize(nearest_second_, FromMiddleOfCell<T>(d, second));
    }
  }

  HWY_INLINE bool Decided(Doubles d) const {
    const Singles ds;
    const bool small = hn::AllTrue(ds, hn::Lt(squares_, hn::Set(ds, limits_.most_squared)));
    if constexpr (sizeof(T) == 2) {
      static_cast<void>(d);
      return small & WordTest<T>(limits_.eps).Decided(away_, least_);
    } else {
      return small & hn::AllTrue(d, hn::Gt(hn::Min(nearest_first_, nearest_second_), hn::Set(d, limits_.eps)));
    }
  }

 private:
  const SumLimits& limits_;
  SingleVec squares_ = hn::Zero(Singles());
  Vec nearest_first_ = hn::Set(Doubles(), 0x1p1023), nearest_second_ = nearest_first_;  // of floats
  hn::Vec<SingleBits> away_ = hn::Set(SingleBits(), ~0u);                               // of 16-bit types
  SingleVec least_ = hn::Set(Singles(), 0x1p127f);
};
#endif  // POSENC_WHOLE_VECTORS

// Adds pairs of rows of a range, at equal distances from the anchor of their block, to x. Everything is tested before
// it is stored: x may be what is written.
template <class T>
class RowAdder {
 public:
  static constexpr bool kPairs = std::is_same_v<T, double>;

  explicit RowAdder(const RangeRows<kPairs>& rows)
      : rows_(rows), writer_(rows.output()), eps_(kEps<T> * rows.grid().eps_scale) {}

  // The whole vectors of some groups, none with a small angle, in a pair of rows of a block: 0 .. 7, the nearest to the
  // anchor first.
  HWY_INLINE void PairOfRows(const Anchored<kPairs>* groups, std::size_t count, std::int64_t block,
                             std::int64_t pair) const {
    const bool in_runs = rows_.output().in_runs();
    if constexpr (!kLayoutsApart) return RowPair(in_runs, groups, count, block, pair);
    in_runs ? RowPair(std::true_type(), groups, count, block, pair)
            : RowPair(std::false_type(), groups, count, block, pair);
  }

 private:
  // Whether the loop of strips stands once for each layout. Told at run time, it costs the other types nothing.
  static constexpr bool kLayoutsApart = sizeof(T) == 4;

  // How many pairs of rows before they are read x is prefetched: 8 KiB of rows of 2 KiB. One pair: 0.72 of a loop that
  // scales in place here, two 0.78, more the same.
  static constexpr std::int64_t kPrefetchPairs = 2;

  // A row that is added to x.
  struct AddedRow {
    std::int64_t j;
    typename Writer<T>::RowStart to;
    typename Writer<T>::XStart x, next;  // next: of the row to prefetch

    HWY_INLINE AddedRow(const RangeRows<kPairs>& rows, const Writer<T>& writer, std::int64_t row, std::int64_t ahead)
        : j(row),
          to(writer.Places(rows.RowOf(row), 0)),
          x(writer.XPlaces(rows.RowOf(row), 0)),
          next(writer.XPlaces(rows.RowOf(static_cast<std::int64_t>(static_cast<std::uint64_t>(row) +
                                                                   static_cast<std::uint64_t>(ahead))),
                              0)) {}
  };

  struct AddedPair {
    AddedRow ahead, back;
    bool stream;
  };

  template <class InRuns>
  HWY_NOINLINE void RowPair(HWY_MAYBE_UNUSED InRuns in_runs, const Anchored<kPairs>* groups, std::size_t count,
                            std::int64_t block, std::int64_t pair) const {
    const std::int64_t earlier = block + kRowRotations - 1 - pair, later = block + kRowRotations + pair;
    const std::int64_t away = pair + kPrefetchPairs;
    const std::int64_t beyond = away < kRowRotations ? 0 : kBlockRows, apart = away % kRowRotations;
    const bool cos_first = rows_.grid().cos_first;
    const std::int64_t to_later = beyond + apart - pair, to_earlier = beyond + pair - apart;
    // Values of its own, which stores to rows do not change.
    const AddedPair rows{{rows_, writer_, cos_first ? earlier : later, cos_first ? to_earlier : to_later},
                         {rows_, writer_, cos_first ? later : earlier, cos_first ? to_later : to_earlier},
                         rows_.output().streams()};
    const std::size_t lanes = hn::Lanes(Doubles());
#if POSENC_WHOLE_VECTORS
    const SumLimits few_open(rows_.grid().eps_scale, 7), all_but_large(rows_.grid().eps_scale, 12);
    const Vec scale = writer_.x_scale(Doubles());
#endif
    for (std::size_t i = 0; i < count; ++i) {
      const Anchored<kPairs>& anchored = groups[i];
      const std::size_t k0 = anchored.group->index * kGroup;
      const std::size_t end = rows_.WholeVectors(anchored.group->index, 0, kGroup, lanes);
      const std::size_t at = static_cast<std::size_t>(pair) * 2 * kGroup;
      const double* HWY_RESTRICT const rotation = anchored.group->rotation + at;
      HWY_MAYBE_UNUSED const double* HWY_RESTRICT const rotation_low = anchored.group->rotation_low + at;
#if POSENC_WHOLE_VECTORS
      if constexpr (!kPairs) {
        for (std::size_t k = 0; k < end;) {
          const std::size_t strip = k + kStrip * lanes <= end ? kStrip * lanes : 0;
          if (HWY_LIKELY(strip != 0) &&
              HWY_LIKELY(Strip<kStrip>(in_runs, anchored.anchors, rotation, rows, scale, k0, k, few_open))) {
            k += strip;
            continue;
          }
          if (!Strip<1>(in_runs, anchored.anchors, rotation, rows, scale, k0, k, all_but_large)) {
            rows_.DecidePair(*anchored.group, anchored.anchors, block, pair, k, k + lanes);
          }
          k += lanes;
        }
        continue;
      }
#endif
      ByVectors(anchored.anchors, rotation, rotation_low, rows, k0, end);
    }
  }

#if POSENC_WHOLE_VECTORS
  // Vectors of both rows that are tested in one. Of 16-bit types more are open: one in 2^-13 halfs.
  static constexpr std::size_t kStrip = POSENC_MANY_REGISTERS && sizeof(T) == 4 ? 4 : 2;

  // Adds a strip of two rows, if no sum is large and the rounding of all is certain within the error of the largest;
  // else false, and nothing is stored.
  // Floats in cache run at 24 GB/s here, with no test at all at 32, and with a test for each vector of two rows at 20.
  // Tried and lost: the subtraction of the test as a fused one, on other pipes (no gain). Anchors and rotations in the
  // order of an interleaved row save six permutations of two vectors: 1.2 times as fast in a loop by itself, for twice
  // the table, which then leaves L1.
  template <std::size_t kVectors, class InRuns>
  HWY_INLINE bool Strip(InRuns in_runs, const Anchors<kPairs>& anchors, const double* HWY_RESTRICT rotation,
                        const AddedPair& rows, Vec scale, std::size_t k0, std::size_t k,
                        const SumLimits& limits) const {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    constexpr std::size_t kLine = 64 / sizeof(T);
    for (std::size_t at = k; at < k + kVectors * lanes; at += in_runs ? kLine : kLine / 2) {
      Writer<T>::Prefetch(in_runs, rows.ahead.next, k0 + at, rows.stream);
      Writer<T>::Prefetch(in_runs, rows.back.next, k0 + at, rows.stream);
    }
    SumTest<T> test(limits);
    const auto add = [&](std::size_t vector, SingleVec& a, SingleVec& b) POSENC_INLINE_LAMBDA {
      const std::size_t at = k + vector * lanes;
      Vec first, second, low;
      anchors(at, first, low, second, low);
      Recurrence<kPairs>::RotateBoth(rotation, rotation, at, first, first, second, second,
                                     [&](Vec fa, Vec, Vec sa, Vec, Vec fb, Vec, Vec sb, Vec) POSENC_INLINE_LAMBDA {
                                       Vec xfa, xsa, xfb, xsb;
                                       Writer<T>::Load(in_runs, d, rows.ahead.x, k0 + at, xfa, xsa);
                                       Writer<T>::Load(in_runs, d, rows.back.x, k0 + at, xfb, xsb);
                                       fa = hn::MulAdd(scale, xfa, fa);
                                       sa = hn::MulAdd(scale, xsa, sa);
                                       fb = hn::MulAdd(scale, xfb, fb);
                                       sb = hn::MulAdd(scale, xsb, sb);
                                       a = JoinFloats(in_runs, d, fa, sa);
                                       b = JoinFloats(in_runs, d, fb, sb);
                                       test.Add(d, fa, sa, a);
                                       test.Add(d, fb, sb, b);
                                     });
    };
    SingleVec a0, b0, a1, b1, a2, b2, a3, b3;
    add(0, a0, b0);
    if constexpr (kVectors > 1) add(1, a1, b1);
    if constexpr (kVectors > 2) add(2, a2, b2);
    if constexpr (kVectors > 2) add(3, a3, b3);
    if (HWY_UNLIKELY(!test.Decided(d))) return false;
    const auto store = [&](std::size_t vector, SingleVec a, SingleVec b) POSENC_INLINE_LAMBDA {
      Writer<T>::StoreJoined(in_runs, a, rows.ahead.to, k0 + k + vector * lanes, rows.stream);
      Writer<T>::StoreJoined(in_runs, b, rows.back.to, k0 + k + vector * lanes, rows.stream);
    };
    store(0, a0, b0);
    if constexpr (kVectors > 1) store(1, a1, b1);
    if constexpr (kVectors > 2) store(2, a2, b2);
    if constexpr (kVectors > 2) store(3, a3, b3);
    return true;
  }
#endif  // POSENC_WHOLE_VECTORS

  // Adds vectors of two rows one by one, with a limit for each value.
  HWY_NOINLINE void ByVectors(const Anchors<kPairs>& anchors, const double* HWY_RESTRICT rotation,
                              const double* HWY_RESTRICT rotation_low, const AddedPair& rows, std::size_t k0,
                              std::size_t end) const {
    const bool in_runs = rows_.output().in_runs();
    for (std::size_t k = 0; k < end; k += hn::Lanes(Doubles())) {
      Writer<T>::Prefetch(in_runs, rows.ahead.next, k0 + k, rows.stream);
      Writer<T>::Prefetch(in_runs, rows.back.next, k0 + k, rows.stream);
      Vec first, first_low, second, second_low;
      anchors(k, first, first_low, second, second_low);
      Recurrence<kPairs>::RotateBoth(rotation, rotation_low, k, first, first_low, second, second_low,
                                     [&](Vec fa, Vec fa_low, Vec sa, Vec sa_low, Vec fb, Vec fb_low, Vec sb, Vec sb_low)
                                         POSENC_INLINE_LAMBDA {
                                           AddVector(in_runs, rows.ahead, k0 + k, fa, fa_low, sa, sa_low);
                                           AddVector(in_runs, rows.back, k0 + k, fb, fb_low, sb, sb_low);
                                         });
    }
  }

  HWY_INLINE void AddVector(bool in_runs, const AddedRow& row, std::size_t k, Vec first, Vec first_low, Vec second,
                            Vec second_low) const {
    const Doubles d;
    const Vec f = first, f_low = first_low, s = second, s_low = second_low, scale = writer_.x_scale(d);
    Vec first_limit = hn::Set(d, eps_), second_limit = first_limit, x_first, x_second;
    Writer<T>::Load(in_runs, d, row.x, k, x_first, x_second);
    Writer<T>::AddTo(d, scale, x_first, true, false, first, first_low, first_limit);
    Writer<T>::AddTo(d, scale, x_second, true, false, second, second_low, second_limit);
    const Mask decided =
        hn::And(Decided<T>(d, first, first_low, first_limit), Decided<T>(d, second, second_low, second_limit));
    if (HWY_LIKELY(hn::AllTrue(d, decided))) {
      Writer<T>::Store(in_runs, d, first, second, row.to, k, rows_.output().streams());
    } else {
      DecideVector(f, f_low, s, s_low, k, row.j);
    }
  }

  // One vector of row j, from frequency k on.
  HWY_NOINLINE void DecideVector(Vec first, HWY_MAYBE_UNUSED Vec first_low, Vec second, HWY_MAYBE_UNUSED Vec second_low,
                                 std::size_t k, std::int64_t j) const {
    const Doubles d;
    RowWaves waves;
    hn::Store(first, d, waves.first);
    hn::Store(second, d, waves.second);
    if constexpr (kPairs) {
      hn::Store(first_low, d, waves.first_low);
      hn::Store(second_low, d, waves.second_low);
    }
    writer_.DecideRow(waves, k, 0, hn::Lanes(d), rows_.RowOf(j), PositionOf(rows_.PositionOfRow(j)), false);
  }

  const RangeRows<kPairs>& rows_;
  const Writer<T> writer_;
  const double eps_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_ADDED_ROWS_INL_H_TOGGLE
