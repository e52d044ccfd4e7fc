// Room kernels: a grid and the integer positions of a list, in ascending order of their anchors, go in, rows rotated
// from anchors that they share go to the store. For output in double lanes; per target.
//
// A span is the 2048 positions from a multiple of 2048, a stretch the 128 from a multiple of 128; root and anchor stand
// in their middle, between two positions. Only the root is evaluated; an anchor is one rotation from it, by 64, 192, ..
// 960 positions, a row one rotation from its anchor, by 1/2, 3/2, .. 127/2. So what a row is rotated from depends on
// its position alone. Stretches of 128 keep the rows' table, the anchors of a span and the rows that are written in L1.
// Anchoring all 16 stretches of a span at once, in halves of it that share products, leaves no branch that depends on
// the positions: made one by one as rows ask for them, in lists sorted by stretches, they took 1.4 times as long.
//
// Error, in units of u = 2^-53 times the amplitude, component against norm: the root 2.5 and its product with the
// amplitude 0.5; a rotation adds its table's error and sqrt(5) for the products and the sum, as in recurrence-inl.h.
// The rotations to the anchors are evaluated, within 2.5; those to the rows are products of two entries of the grid,
// each rounded from pairs: 0.5 + 0.5 + sqrt(5) = 3.24. In all 3 + (2.5 + 2.24) + (3.24 + 2.24) = 13.3 u < 16 u = 2^-49.

#if defined(POSENC_SRC_SORTED_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_SORTED_INL_H_TOGGLE
#undef POSENC_SRC_SORTED_INL_H_TOGGLE
#else
#define POSENC_SRC_SORTED_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "src/angles-inl.h"
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

// A row as a rotation of its anchor.
struct RowRotation {
  const double* HWY_RESTRICT anchor;    // kGroup first and kGroup second values
  const double* HWY_RESTRICT rotation;  // kGroup cosines and kGroup sines
  std::uint64_t sine_sign;              // 1 << 63: a rotation by the opposite angle

  HWY_INLINE void Values(Doubles d, std::size_t k, Vec& first, Vec& second) const {
    const Vec sign = hn::BitCast(d, hn::Set(Bits64(), sine_sign));
    const Vec cos = hn::Load(d, rotation + k), sin = hn::Xor(hn::Load(d, rotation + kGroup + k), sign);
    const Vec a = hn::Load(d, anchor + k), b = hn::Load(d, anchor + kGroup + k);
    first = hn::MulAdd(a, cos, hn::Mul(b, sin));
    second = hn::MulSub(b, cos, hn::Mul(a, sin));
  }
};

// The anchors of a group of frequencies and the rotations to its rows: 32 KiB and 12 KiB, which stay in L1.
class SortedAnchors {
 public:
  HWY_NOINLINE void Fill(const FrequencyGrid& grid, std::size_t g) {
    const Doubles d;
    grid_ = &grid;
    g_ = g;
    const double* HWY_RESTRICT from = grid.rotation + g * kRotationDoubles;
    for (std::size_t i = 0; i < kCoarse; ++i) {
      for (std::size_t j = 0; j < kFine; ++j) {
        // (8 + 16 i) +- (j + 1/2) positions.
        const double* HWY_RESTRICT coarse = from + (kRowRotations + i) * 2 * kGroup;
        const double* HWY_RESTRICT fine = from + j * 2 * kGroup;
        double* HWY_RESTRICT ahead = rows_[16 * i + 8 + j];
        double* HWY_RESTRICT back = rows_[16 * i + 7 - j];
        for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
          const Vec cos = hn::Load(d, coarse + k), sin = hn::Load(d, coarse + kGroup + k);
          const Vec fine_cos = hn::Load(d, fine + k), fine_sin = hn::Load(d, fine + kGroup + k);
          const Vec sines = hn::Mul(sin, fine_sin), cross = hn::Mul(cos, fine_sin);
          hn::Store(hn::MulSub(cos, fine_cos, sines), d, ahead + k);
          hn::Store(hn::MulAdd(sin, fine_cos, cross), d, ahead + kGroup + k);
          hn::Store(hn::MulAdd(cos, fine_cos, sines), d, back + k);
          hn::Store(hn::MulSub(sin, fine_cos, cross), d, back + kGroup + k);
        }
      }
    }
    for (std::size_t e = 0; e < kAnchors / 2; ++e) {
      for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
        Vec sin, cos;
        SinCosOfHalves(d, (2 * e + 1) * kStretch, hn::Zero(Bits64()), k, sin, cos);
        hn::Store(cos, d, rotations_[e] + k);
        hn::Store(sin, d, rotations_[e] + kGroup + k);
      }
    }
  }

  // Makes the anchors of a span from its first position on.
  HWY_NOINLINE void Anchor(std::int64_t span) {
    const Doubles d;
    // The root's position in halves; at most 2^64 - 2047.
    const bool negative = span < 0;
    const std::uint64_t middle = 2 * static_cast<std::uint64_t>(span) + (kSpan - 1);
    const std::uint64_t halves = negative ? 0 - middle : middle;
    const VecBits64 all_if_negative = hn::Set(Bits64(), 0 - std::uint64_t{negative});
    const Vec amplitude = hn::Set(d, grid_->amplitude);
    const bool cos_first = grid_->cos_first;
    // All vectors first: their long chains of operations overlap.
    HWY_ALIGN_MAX double root[2][kGroup];
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      Vec sin, cos;
      SinCosOfHalves(d, halves, all_if_negative, k, sin, cos);
      hn::Store(hn::Mul(sin, amplitude), d, root[cos_first ? 1 : 0] + k);
      hn::Store(hn::Mul(cos, amplitude), d, root[cos_first ? 0 : 1] + k);
    }
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      const Vec first = hn::Load(d, root[0] + k), second = hn::Load(d, root[1] + k);
      for (std::size_t e = 0; e < kAnchors / 2; ++e) {
        // Ahead is (sin, cos) -> (sin C + cos S, cos C - sin S); with the cosine first, S has the other sign.
        const Vec cos = hn::Load(d, rotations_[e] + k), sin = hn::Load(d, rotations_[e] + kGroup + k);
        const Vec first_sin = hn::Mul(first, sin), second_sin = hn::Mul(second, sin);
        double* const later = anchors_[cos_first ? kAnchors / 2 - 1 - e : kAnchors / 2 + e] + k;
        double* const earlier = anchors_[cos_first ? kAnchors / 2 + e : kAnchors / 2 - 1 - e] + k;
        hn::Store(hn::MulAdd(first, cos, second_sin), d, later);
        hn::Store(hn::MulSub(second, cos, first_sin), d, later + kGroup);
        hn::Store(hn::MulSub(first, cos, second_sin), d, earlier);
        hn::Store(hn::MulAdd(second, cos, first_sin), d, earlier + kGroup);
      }
    }
  }

  // place: of a position in the span anchored last.
  HWY_INLINE RowRotation RotationOf(std::size_t place) const {
    const auto after = static_cast<std::ptrdiff_t>(place % kStretch) - static_cast<std::ptrdiff_t>(kStretch / 2);
    const std::ptrdiff_t back = after >> (sizeof(after) * 8 - 1);  // all bits, or none
    return {anchors_[place / kStretch], rows_[after ^ back],
            (static_cast<std::uint64_t>(back) ^ std::uint64_t{grid_->cos_first}) << 63};
  }

  // The values of a row, at the start of to.
  HWY_NOINLINE void RotateRow(std::size_t place, RowWaves& to) const {
    const Doubles d;
    const RowRotation row = RotationOf(place);
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      Vec first, second;
      row.Values(d, k, first, second);
      hn::Store(first, d, to.first + k);
      hn::Store(second, d, to.second + k);
    }
  }

 private:
  static constexpr std::size_t kSpan = kSpanPositions, kStretch = 128;
  static constexpr std::size_t kAnchors = kSpan / kStretch;
  static constexpr std::size_t kFine = kRowRotations, kCoarse = kStretch / 2 / (2 * kFine);
  static_assert(kCoarse <= kAnchorRotations);

  // sin and cos of halves half positions.
  HWY_INLINE void SinCosOfHalves(Doubles d, std::uint64_t halves, VecBits64 negative, std::size_t k, Vec& sin,
                                 Vec& cos) const {
    Vec eighths;
    VecBits64 quarters;
    const VecBits64 low = hn::Set(Bits64(), halves), high = hn::Set(Bits64(), halves >> 32);
    ReduceTurns(d, TimesFraction(low, high, FractionsOfGroup(grid_->half, g_), k), negative, eighths, quarters);
    SinCos(d, eighths, quarters, sin, cos);
  }

  // Each entry is kGroup cosines, then kGroup sines; of the anchors, first and second values.
  HWY_ALIGN_MAX double rows_[kStretch / 2][2 * kGroup];
  HWY_ALIGN_MAX double rotations_[kAnchors / 2][2 * kGroup];
  HWY_ALIGN_MAX double anchors_[kAnchors][2 * kGroup];
  const FrequencyGrid* grid_;
  std::size_t g_;
};

// Writes sorted rows. What has small angles, is open, or fills no whole vectors is left to the lists' kernel.
class SortedKernel {
 public:
  SortedKernel(const SortedPositions& positions, const OutputRows& rows)
      : grid_(rows.grid()), positions_(positions), rows_(rows), list_(rows) {}

  void Run() const {
    SortedAnchors anchors;
    for (std::size_t g = 0; g < grid_.groups; ++g) {
      const bool is_whole = WholeFrequencies(g) != 0;
      if (is_whole) anchors.Fill(grid_, g);
      for (std::size_t span = 0, begin = 0, end; span < positions_.spans; ++span, begin = end) {
        end = positions_.ends[span];
        if (is_whole && begin < end) {
          anchors.Anchor(positions_.At(span * kSpanPositions));
          RowsOfSpan(g, anchors, span, begin, end);
        } else {
          for (std::size_t i = begin; i < end; ++i) RowAlone(g, i);
        }
      }
    }
    rows_.Flush();
    if (!rows_.has_zero()) return;
    for (std::size_t i = 0; i < positions_.ends[positions_.spans - 1]; ++i) StoreZero<false>(rows_, positions_.Row(i));
  }

 private:
  // The frequencies of the group, if they fill whole vectors with a cosine for each; else 0.
  std::size_t WholeFrequencies(std::size_t g) const {
    if (HWY_TARGET == HWY_SCALAR) return 0;  // no CPU's best target: not worth its code
    const std::size_t k0 = g * kGroup;
    const std::size_t count = std::min(kGroup, grid_.shape.sines - k0);
    return k0 + count <= grid_.shape.cosines && count % hn::Lanes(Doubles()) == 0 ? count : 0;
  }

  HWY_NOINLINE void RowAlone(std::size_t g, std::size_t i) const {
    list_.Groups(ListPositionOf(positions_.At(positions_.Offset(i))), g, g + 1, positions_.Row(i));
  }

  HWY_NOINLINE void RowsOfSpan(std::size_t g, const SortedAnchors& anchors, std::size_t span, std::size_t begin,
                               std::size_t end) const {
    const double nearest = std::min(Distance(span * kSpanPositions), Distance((span + 1) * kSpanPositions - 1));
    const bool some_small = nearest * grid_.least_radians[g] < kSmallRadians<float>;
    for (std::size_t i = begin; i < end; ++i) {
      if (rows_.type() != ElementType::kFloat) {
        i = NarrowRows(g, anchors, some_small, i, end);
      } else {
        i = rows_.in_runs() ? FloatRows<true>(g, anchors, some_small, i, end)
                            : FloatRows<false>(g, anchors, some_small, i, end);
      }
      if (i == end) break;
      rows_.Flush();  // what is repaired comes after what was streamed
      RowAlone(g, i);
    }
  }

  // As FloatRows, for types whose conversion takes longer than the rotation: in the code that lists have anyway.
  HWY_NOINLINE std::size_t NarrowRows(std::size_t g, const SortedAnchors& anchors, bool some_small, std::size_t begin,
                                      std::size_t end) const {
    const double least = grid_.least_radians[g];
    RowWaves waves;
    for (std::size_t i = begin; i < end; ++i) {
      if (HWY_UNLIKELY(some_small) && Distance(positions_.Offset(i)) * least < kSmallRadians<float>) return i;
      anchors.RotateRow(positions_.Offset(i) % kSpanPositions, waves);
      const std::size_t row = positions_.Row(i);
      const std::size_t done = rows_.type() == ElementType::kHalf
                                   ? Writer<Half>(rows_).StoreWhole(waves, g * kGroup, 0, kGroup, row)
                                   : Writer<BFloat16>(rows_).StoreWhole(waves, g * kGroup, 0, kGroup, row);
      if (HWY_UNLIKELY(done == 0)) return i;
    }
    return end;
  }

  // Stores a row, then tests it. Returns the first row that has small angles or is open, or end. A leaf, so that its
  // constants stay in registers.
  template <bool kInRuns>
  HWY_NOINLINE std::size_t FloatRows(std::size_t g, const SortedAnchors& anchors, bool some_small, std::size_t begin,
                                     std::size_t end) const {
    using T = float;
    const Doubles d;
    const Writer<T> writer(rows_);
    const Vec eps = hn::Set(d, kEps<T> * grid_.eps_scale);
    const std::size_t count = WholeFrequencies(g);
    const bool streams = rows_.streams();
    const double least = grid_.least_radians[g];
    for (std::size_t i = begin; i < end; ++i) {
      if (HWY_UNLIKELY(some_small) && Distance(positions_.Offset(i)) * least < kSmallRadians<T>) return i;
      const RowRotation row = anchors.RotationOf(positions_.Offset(i) % kSpanPositions);
      const auto places = writer.Places(positions_.Row(i), g * kGroup);
      Vec tested_first = NoTest<T>(d), tested_second = tested_first;
      const auto vector = [&](std::size_t k) POSENC_INLINE_LAMBDA {
        Vec first, second;
        row.Values(d, k, first, second);
        Writer<T>::Store(std::bool_constant<kInRuns>(), d, first, second, places, k, streams);
        tested_first = AddTest<T>(d, tested_first, first, first, eps);
        tested_second = AddTest<T>(d, tested_second, second, second, eps);
      };
      if (POSENC_MANY_REGISTERS && HWY_LIKELY(count == kGroup)) {
        // Without the loop, 1.06 times as fast.
        HWY_UNROLL(4) for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) vector(k);
      } else {
        for (std::size_t k = 0; k < count; k += hn::Lanes(d)) vector(k);
      }
      const Mask open = hn::Or(Undecided<T>(d, tested_first, eps), Undecided<T>(d, tested_second, eps));
      if (HWY_UNLIKELY(!hn::AllFalse(d, open))) return i;
    }
    return end;
  }

  // The |position| at an offset.
  double Distance(std::uint64_t offset) const { return std::fabs(static_cast<double>(positions_.At(offset))); }

  const FrequencyGrid& grid_;
  const SortedPositions positions_;
  const OutputRows& rows_;
  const ListKernel<false> list_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_SORTED_INL_H_TOGGLE
