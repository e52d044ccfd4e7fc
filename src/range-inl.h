// Room kernels: a grid and a range of positions go in, rows go to the store. The recurrence: rows are rotated from
// anchors, anchors from super-anchors, by the angle-addition identity; per target.
//
// Row j of the index space stands for position j * step + offset. A block is the 16 rows from a multiple of 16, its
// anchor the 9th; a super-block is the 256 rows from a multiple of 256, its super-anchor the 129th. So what a row is
// rotated from depends on the position and the step alone. Only the super-anchor is evaluated; an anchor is one
// rotation from it, a row one rotation from the anchor, and rows at equal distances on both sides share their products.
//
// Error, in units of u = 2^-53 times the amplitude, component against norm: the super-anchor 2.5 and its product with
// the amplitude 0.5; each of two rotations adds its table's error (2.5 at most, 0.5 where the table was rounded from
// pairs) and sqrt(5) for the products and the sum (Brent, Percival, Zimmermann 2007; 2 with FMA). In all at most
// 3 + 2 * (2.5 + 2.24) = 12.5 u < 2^-49 on every target, with no growth along the table.

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
#include "src/sincos-inl.h"
#include "src/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Fills rotation (and rotation_low unless null) of one group, kRotationDoubles each, from the fractions of a step.
HWY_INLINE void FillGroupRotations(const GroupFractions& step, double* HWY_RESTRICT rotation,
                                   double* HWY_RESTRICT rotation_low) {
  const Doubles d;
  GroupAngles angles;
  for (int e = 0; e < kRotations; ++e) {
    double* const cosines = rotation + static_cast<std::size_t>(e) * 2 * kGroup;
    double* const cosines_low = rotation_low + static_cast<std::size_t>(e) * 2 * kGroup;
    for (std::size_t k = 0; k < kGroup; ++k) angles.Set(k, step.Times<Turn<true>>(RotationPositions(e), k));
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      Vec sin, sin_low, cos, cos_low;
      SinCosPairs(d, hn::Load(d, angles.eighths + k), hn::Load(d, angles.eighths_low + k),
                  hn::Load(Bits64(), angles.quarters + k), sin, sin_low, cos, cos_low);
      hn::Store(cos, d, cosines + k);
      hn::Store(sin, d, cosines + kGroup + k);
      hn::Store(cos_low, d, cosines_low + k);
      hn::Store(sin_low, d, cosines_low + kGroup + k);
    }
  }
}

// A group of frequencies with the rotations of the step.
struct Group {
  GroupFractions step;
  const double* HWY_RESTRICT rotation;
  const double* HWY_RESTRICT rotation_low;
  std::size_t index;
};

// Anchors of a group: first and second values, times the amplitude.
template <bool kPairs>
struct Anchors {
  HWY_ALIGN_MAX double first[kGroup];
  HWY_ALIGN_MAX double second[kGroup];
  HWY_ALIGN_MAX double first_low[kPairs ? kGroup : 1];
  HWY_ALIGN_MAX double second_low[kPairs ? kGroup : 1];
};

// The recurrence, in doubles or in pairs of doubles.
template <bool kPairs>
class Recurrence {
 public:
  Recurrence(const FrequencyGrid& grid, std::uint64_t offset) : grid_(grid), offset_(offset) {}

  // sin and cos at the middle of the super-block, times the amplitude.
  HWY_NOINLINE void Evaluate(const Group& group, std::int64_t super, Anchors<kPairs>& to) const {
    const Doubles d;
    GroupAngles angles;
    // |middle| may exceed an int64 by 128, never an uint64.
    const bool negative = super < 0;
    const std::uint64_t middle = static_cast<std::uint64_t>(super) + kSuperRows / 2;
    const std::uint64_t distance = negative ? 0 - middle : middle;
    const GroupFractions one = FractionsOfGroup(grid_.whole, group.index);
    for (std::size_t k = 0; k < kGroup; ++k) {
      const auto angle = group.step.template Times<Turn<kPairs>>(distance, k);
      angles.Set(k, (negative ? 0 - angle : angle) + one.template Times<Turn<kPairs>>(offset_, k));
    }
    const Vec amplitude = hn::Set(d, grid_.amplitude);
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      Vec sin, cos, sin_low = hn::Zero(d), cos_low = hn::Zero(d);
      if constexpr (kPairs) {
        SinCosPairs(d, hn::Load(d, angles.eighths + k), hn::Load(d, angles.eighths_low + k),
                    hn::Load(Bits64(), angles.quarters + k), sin, sin_low, cos, cos_low);
        ScalePair(d, amplitude, sin, sin_low);
        ScalePair(d, amplitude, cos, cos_low);
        hn::Store(grid_.cos_first ? cos_low : sin_low, d, to.first_low + k);
        hn::Store(grid_.cos_first ? sin_low : cos_low, d, to.second_low + k);
      } else {
        SinCos(d, hn::Load(d, angles.eighths + k), hn::Load(Bits64(), angles.quarters + k), sin, cos);
        sin = hn::Mul(sin, amplitude);
        cos = hn::Mul(cos, amplitude);
      }
      hn::Store(grid_.cos_first ? cos : sin, d, to.first + k);
      hn::Store(grid_.cos_first ? sin : cos, d, to.second + k);
    }
  }

  HWY_NOINLINE void RotateAnchors(const Group& group, int block_index, const Anchors<kPairs>& from,
                                  Anchors<kPairs>& to) const {
    const Doubles d;
    constexpr int kHalf = kAnchorRotations;
    const bool later = block_index >= kHalf;
    const int e = kRowRotations + (later ? block_index - kHalf : kHalf - 1 - block_index);
    const std::size_t at = static_cast<std::size_t>(e) * 2 * kGroup;
    const bool ahead = later != grid_.cos_first;
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      Vec fa, fal, sa, sal, fb, fbl, sb, sbl;
      Rotate(d, hn::Load(d, from.first + k), Low(d, from.first_low, k), hn::Load(d, from.second + k),
             Low(d, from.second_low, k), hn::Load(d, group.rotation + at + k), Low(d, group.rotation_low, at + k),
             hn::Load(d, group.rotation + at + kGroup + k), Low(d, group.rotation_low, at + kGroup + k), fa, fal, sa,
             sal, fb, fbl, sb, sbl);
      hn::Store(ahead ? fa : fb, d, to.first + k);
      hn::Store(ahead ? sa : sb, d, to.second + k);
      if constexpr (kPairs) {
        hn::Store(ahead ? fal : fbl, d, to.first_low + k);
        hn::Store(ahead ? sal : sbl, d, to.second_low + k);
      }
    }
  }

  // Calls visit(j, k, first, first_low, second, second_low) for the vectors from k = begin to below end of the group in
  // the 16 rows of a block: row by row, so that a row is written in one run, and rows of equal distance from the anchor
  // together.
  template <class Visit>
  HWY_INLINE void ForRows(const Group& group, const Anchors<kPairs>& anchors, std::int64_t block, std::size_t begin,
                          std::size_t end, const Visit& visit) const {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const std::int64_t anchor = block + kBlockRows / 2;
    for (std::size_t k = begin; k < end; k += lanes) {
      visit(anchor, k, hn::Load(d, anchors.first + k), Low(d, anchors.first_low, k), hn::Load(d, anchors.second + k),
            Low(d, anchors.second_low, k));
    }
    for (std::int64_t r = 1; r <= kRowRotations; ++r) {
      const std::size_t at = static_cast<std::size_t>(r - 1) * 2 * kGroup;
      const std::int64_t ahead = grid_.cos_first ? anchor - r : anchor + r;
      const std::int64_t back = grid_.cos_first ? anchor + r : anchor - r;
      const bool have_ahead = r < kRowRotations || grid_.cos_first;
      const bool have_back = r < kRowRotations || !grid_.cos_first;
      for (std::size_t k = begin; k < end; k += lanes) {
        Vec fa, fal, sa, sal, fb, fbl, sb, sbl;
        Rotate(d, hn::Load(d, anchors.first + k), Low(d, anchors.first_low, k), hn::Load(d, anchors.second + k),
               Low(d, anchors.second_low, k), hn::Load(d, group.rotation + at + k), Low(d, group.rotation_low, at + k),
               hn::Load(d, group.rotation + at + kGroup + k), Low(d, group.rotation_low, at + kGroup + k), fa, fal, sa,
               sal, fb, fbl, sb, sbl);
        if (have_ahead) visit(ahead, k, fa, fal, sa, sal);
        if (have_back) visit(back, k, fb, fbl, sb, sbl);
      }
    }
  }

 private:
  // The two rotations of (first, second) by the angle whose cosine and sine are given. "Ahead" advances sines and
  // cosines in this order; with cosines first, (cos, sin) is (sin, cos) of the complement, which turns the other way.
  static HWY_INLINE void Rotate(Doubles d, Vec first, Vec first_low, Vec second, Vec second_low, Vec cos, Vec cos_low,
                                Vec sin, Vec sin_low, Vec& first_ahead, Vec& first_ahead_low, Vec& second_ahead,
                                Vec& second_ahead_low, Vec& first_back, Vec& first_back_low, Vec& second_back,
                                Vec& second_back_low) {
    if constexpr (kPairs) {
      Vec fc, fc_low, fs, fs_low, sc, sc_low, ss, ss_low;
      PairProduct(d, first, first_low, cos, cos_low, fc, fc_low);
      PairProduct(d, first, first_low, sin, sin_low, fs, fs_low);
      PairProduct(d, second, second_low, cos, cos_low, sc, sc_low);
      PairProduct(d, second, second_low, sin, sin_low, ss, ss_low);
      PairSum(fc, fc_low, ss, ss_low, first_ahead, first_ahead_low);
      PairSum(sc, sc_low, hn::Neg(fs), hn::Neg(fs_low), second_ahead, second_ahead_low);
      PairSum(fc, fc_low, hn::Neg(ss), hn::Neg(ss_low), first_back, first_back_low);
      PairSum(sc, sc_low, fs, fs_low, second_back, second_back_low);
    } else {
      const Vec fs = hn::Mul(first, sin);
      const Vec ss = hn::Mul(second, sin);
      first_ahead = hn::MulAdd(first, cos, ss);
      second_ahead = hn::MulSub(second, cos, fs);
      first_back = hn::MulSub(first, cos, ss);
      second_back = hn::MulAdd(second, cos, fs);
      first_ahead_low = second_ahead_low = first_back_low = second_back_low = hn::Zero(d);
    }
  }

  static HWY_INLINE Vec Low(Doubles d, const double* HWY_RESTRICT from, std::size_t at) {
    if constexpr (kPairs) {
      return hn::Load(d, from + at);
    } else {
      return hn::Zero(d);
    }
  }

  const FrequencyGrid& grid_;
  const std::uint64_t offset_;  // of the positions of a range
};

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
      for (std::int64_t super = Floor(positions_.first, kSuperRows);;) {
        for (std::size_t g = 0; g < grid_.groups; ++g) {
          const Group group{FractionsOfGroup(grid_.whole, g), grid_.rotation + g * kRotationDoubles,
                            grid_.rotation_low + g * kRotationDoubles, g};
          SuperBlock(group, super);
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
    FillGroupRotations(group.step, rotation, rotation_low);
    for (std::int64_t super = Floor(positions_.first, kSuperRows);;) {
      SuperBlock(group, super);
      if (end_ - super < kSuperRows) break;
      super += kSuperRows;
    }
  }

  // to[..][k] = factor * the fraction of frequency f, mod 1 turn.
  void MultiplyFraction(std::size_t f, std::uint64_t factor, std::size_t k, std::uint64_t (&to)[3][kGroup]) const {
    Uint128 carry = 0;
    for (int i = 0; i < 3; ++i) {
      carry += Uint128{grid_.whole.limb[i][f]} * factor;
      to[i][k] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }

  // The position of row j, which is an int64.
  std::int64_t PositionOfRow(std::int64_t j) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(j) * positions_.step + positions_.offset);
  }

  HWY_NOINLINE void SuperBlock(const Group& group, std::int64_t super) const {
    const std::int64_t begin = std::max(super, positions_.first);
    const std::int64_t last = end_ - super < kSuperRows ? end_ : super + (kSuperRows - 1);
    Anchors<kPairs> super_anchor;
    bool have_super_anchor = false;
    for (std::int64_t block = Floor(begin, kBlockRows);; block += kBlockRows) {
      const std::int64_t block_begin = std::max(block, begin);
      const std::int64_t block_last = last - block < kBlockRows ? last : block + (kBlockRows - 1);
      const BlockRows rows{block, block_begin, block_last};
      const double farthest = std::max(std::fabs(static_cast<double>(PositionOfRow(block_begin))),
                                       std::fabs(static_cast<double>(PositionOfRow(block_last))));
      const std::size_t k0 = group.index * kGroup;
      const std::size_t end = std::min(kGroup, grid_.shape.sines - k0);
      if (farthest * grid_.most_radians[group.index] < kSmallRadians<T>) {
        for (std::int64_t j = block_begin;; ++j) {
          SmallRow(k0, k0 + end, j);
          if (j == block_last) break;
        }
      } else {
        if (!have_super_anchor) {
          recurrence_.Evaluate(group, super, super_anchor);
          have_super_anchor = true;
        }
        Anchors<kPairs> anchors;
        recurrence_.RotateAnchors(group, static_cast<int>((block - super) / kBlockRows), super_anchor, anchors);
        if (farthest * grid_.least_radians[group.index] < kSmallRadians<T>) {
          MixedBlock(group, anchors, rows, farthest);
        } else {
          Block(group, anchors, rows, 0, end);
        }
      }
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
      if (writer_.adds()) {
        DecideVectors<true, true>(group, anchors, rows, k, begin);
      } else {
        DecideVectors<false, true>(group, anchors, rows, k, begin);
      }
    }
    if (begin < end) Block(group, anchors, rows, begin, end);
  }

  // Frequencies begin .. below end of the group in a block that has none with a small angle in every row.
  HWY_INLINE void Block(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows, std::size_t begin,
                        std::size_t end) const {
    const bool zero_inside = positions_.offset == 0 && rows.begin <= 0 && 0 <= rows.last;
    if (writer_.adds()) {
      DecideVectors<true, false>(group, anchors, rows, begin, end);
    } else if (rows.last - rows.begin < kBlockRows - 1 || zero_inside) {
      DecideVectors<false, false>(group, anchors, rows, begin, end);
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
    recurrence_.ForRows(group, anchors, rows.block, begin, whole,
                        [&](std::int64_t j, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low)
                            HWY_ATTR {
                              writer_.template Store<kWay>(d, first, second, RowOf(j), k0 + k);
                              tested_first = BothTests<T>(tested_first, Test<T>(d, first, first_low, eps));
                              tested_second = BothTests<T>(tested_second, Test<T>(d, second, second_low, eps));
                            });
    const bool open = !hn::AllFalse(d, hn::Or(Undecided<T>(d, tested_first, eps), Undecided<T>(d, tested_second, eps)));
    if (HWY_UNLIKELY(open)) {
      hwy::FlushStream();  // what is repaired comes after what was streamed
      DecideVectors<false, false>(group, anchors, rows, begin, end);
    } else if (whole < end) {
      DecideVectors<false, false>(group, anchors, rows, whole, end);
    }
  }

  // Frequencies begin .. below end of the group, each vector tested and repaired on its own. kMixed: small angles are
  // among them.
  template <bool kAdd, bool kMixed>
  HWY_NOINLINE void DecideVectors(const Group& group, const Anchors<kPairs>& anchors, const BlockRows& rows,
                                  std::size_t begin, std::size_t end) const {
    const Doubles d;
    const std::size_t k0 = group.index * kGroup;
    const Vec eps = hn::Set(d, eps_);
    recurrence_.ForRows(group, anchors, rows.block, begin, end,
                        [&](std::int64_t j, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low)
                            HWY_ATTR {
                              if (j < rows.begin || j > rows.last) return;
                              const std::int64_t position = PositionOfRow(j);
                              if (position == 0) return;  // exact zeros and ones: SmallRow
                              const std::size_t lanes = std::min(hn::Lanes(d), end - k);
                              if constexpr (kMixed) {
                                DecideMixed<kAdd>(d, writer_, first, first_low, second, second_low, k0 + k, lanes,
                                                  RowOf(j), PositionOf(position), SmallPositionOf(position), eps_);
                              } else {
                                writer_.template Decide<false, kAdd>(d, first, first_low, second, second_low, eps, eps,
                                                                     RowOf(j), k0 + k, lanes, PositionOf(position));
                              }
                            });
    if (positions_.offset == 0 && rows.begin <= 0 && 0 <= rows.last) SmallRow(k0 + begin, k0 + end, 0);
  }

  void SmallRow(std::size_t begin, std::size_t end, std::int64_t j) const {
    const std::int64_t position = PositionOfRow(j);
    if (writer_.adds()) {
      WriteSmall<true>(writer_, begin, end, RowOf(j), PositionOf(position), SmallPositionOf(position), eps_);
    } else {
      WriteSmall<false>(writer_, begin, end, RowOf(j), PositionOf(position), SmallPositionOf(position), eps_);
    }
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
