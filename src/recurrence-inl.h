// Room kernels: a grid goes in, the rotations of its frequencies come out, and the values of rows rotated from anchors.
// The recurrence by the angle-addition identity; per target.
//
// Row j of the index space stands for position j * step + offset. A block is the 16 rows from a multiple of 16, a
// super-block the 256 rows from a multiple of 256; anchor and super-anchor stand in their middle, between two rows. So
// what a row is rotated from depends on the position and the step alone. Only the super-anchor is evaluated; an anchor
// is one rotation from it, a row one rotation from the anchor, and rows at equal distances on both sides share their
// products.
//
// Error, in units of u = 2^-53 times the amplitude, component against norm: the super-anchor 2.5 and its product with
// the amplitude 0.5; each of two rotations adds its table's error (2.5 at most, 0.5 where the table was rounded from
// pairs) and sqrt(5) for the products and the sum (Brent, Percival, Zimmermann 2007; 2 with FMA). In all at most
// 3 + 2 * (2.5 + 2.24) = 12.5 u < 2^-49 on every target, with no growth along the table.

#if defined(POSENC_SRC_RECURRENCE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_RECURRENCE_INL_H_TOGGLE
#undef POSENC_SRC_RECURRENCE_INL_H_TOGGLE
#else
#define POSENC_SRC_RECURRENCE_INL_H_TOGGLE
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/grid.h"
#include "src/lanes-inl.h"
#include "src/sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Fills rotation (and rotation_low unless null) of one group, kRotationDoubles each, from the fractions of half a
// step.
inline HWY_NOINLINE void FillGroupRotations(const GroupFractions& half_step, double* HWY_RESTRICT rotation,
                                            double* HWY_RESTRICT rotation_low) {
  const Doubles d;
  GroupAngles angles;
  for (int e = 0; e < kRotations; ++e) {
    double* const cosines = rotation + static_cast<std::size_t>(e) * 2 * kGroup;
    double* const cosines_low = rotation_low + static_cast<std::size_t>(e) * 2 * kGroup;
    for (std::size_t k = 0; k < kGroup; ++k) angles.Set(k, half_step.Times<Turn<true>>(RotationHalves(e), k));
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
  GroupFractions half_step;
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

  // sin and cos in the middle of the super-block, times the amplitude.
  HWY_NOINLINE void Evaluate(const Group& group, std::int64_t super, Anchors<kPairs>& to) const {
    const Doubles d;
    GroupAngles angles;
    // In half steps; at most 2^64 - 255.
    const bool negative = super < 0;
    const std::uint64_t middle = 2 * static_cast<std::uint64_t>(super) + (kSuperRows - 1);
    const std::uint64_t distance = negative ? 0 - middle : middle;
    const GroupFractions one = FractionsOfGroup(grid_.whole, group.index);
    for (std::size_t k = 0; k < kGroup; ++k) {
      const auto angle = group.half_step.template Times<Turn<kPairs>>(distance, k);
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

  // Calls visit(row, k, first, first_low, second, second_low) for the vectors from k = begin to below end of the group
  // in the pairs of rows at equal distances from the anchor of a block, the nearest pair_begin .. below pair_end of 8;
  // row is what row_of gave for the row's index. A row is written in runs, for memory takes whole pages and 256 bytes
  // at a time best: 40 GB/s past the caches here, where runs of 128 bytes reach 27.
  // kStrips: with the anchors of four vectors in registers, which pays where visit is short.
  template <bool kStrips, class RowOf, class Visit>
  HWY_INLINE void ForRows(const Group& group, const Anchors<kPairs>& anchors, std::int64_t block, std::size_t begin,
                          std::size_t end, std::int64_t pair_begin, std::int64_t pair_end, const RowOf& row_of,
                          const Visit& visit) const {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const auto for_pairs = [&](const auto& visit_pair) POSENC_INLINE_LAMBDA {
      for (std::int64_t pair = pair_begin; pair < pair_end; ++pair) {
        const std::int64_t later = block + kRowRotations + pair;
        const std::int64_t earlier = block + kRowRotations - 1 - pair;
        const std::size_t at = static_cast<std::size_t>(pair) * 2 * kGroup;
        visit_pair(row_of(grid_.cos_first ? earlier : later), row_of(grid_.cos_first ? later : earlier),
                   group.rotation + at, group.rotation_low + at);
      }
    };
    const auto both = [&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation,
                          const double* HWY_RESTRICT rotation_low, std::size_t k, Vec first, Vec first_low, Vec second,
                          Vec second_low) POSENC_INLINE_LAMBDA {
      Vec fa, fal, sa, sal, fb, fbl, sb, sbl;
      Rotate(d, first, first_low, second, second_low, hn::Load(d, rotation + k), Low(d, rotation_low, k),
             hn::Load(d, rotation + kGroup + k), Low(d, rotation_low, kGroup + k), fa, fal, sa, sal, fb, fbl, sb, sbl);
      visit(ahead, k, fa, fal, sa, sal);
      visit(back, k, fb, fbl, sb, sbl);
    };
    std::size_t strip = begin;
#if POSENC_MANY_REGISTERS
    if constexpr (kStrips && !kPairs) {
      // 1.4 times as fast in cache as loading the anchors for each row.
      const Vec zero = hn::Zero(d);
      for (; strip + 4 * lanes <= end; strip += 4 * lanes) {
        const std::size_t k0 = strip, k1 = k0 + lanes, k2 = k1 + lanes, k3 = k2 + lanes;
        const Vec f0 = hn::Load(d, anchors.first + k0), s0 = hn::Load(d, anchors.second + k0);
        const Vec f1 = hn::Load(d, anchors.first + k1), s1 = hn::Load(d, anchors.second + k1);
        const Vec f2 = hn::Load(d, anchors.first + k2), s2 = hn::Load(d, anchors.second + k2);
        const Vec f3 = hn::Load(d, anchors.first + k3), s3 = hn::Load(d, anchors.second + k3);
        for_pairs([&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation,
                      const double* HWY_RESTRICT rotation_low) POSENC_INLINE_LAMBDA {
          both(ahead, back, rotation, rotation_low, k0, f0, zero, s0, zero);
          both(ahead, back, rotation, rotation_low, k1, f1, zero, s1, zero);
          both(ahead, back, rotation, rotation_low, k2, f2, zero, s2, zero);
          both(ahead, back, rotation, rotation_low, k3, f3, zero, s3, zero);
        });
      }
    }
#endif
    if (strip >= end) return;
    for_pairs([&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation,
                  const double* HWY_RESTRICT rotation_low) POSENC_INLINE_LAMBDA {
      for (std::size_t k = strip; k < end; k += lanes) {
        both(ahead, back, rotation, rotation_low, k, hn::Load(d, anchors.first + k), Low(d, anchors.first_low, k),
             hn::Load(d, anchors.second + k), Low(d, anchors.second_low, k));
      }
    });
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

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_RECURRENCE_INL_H_TOGGLE
