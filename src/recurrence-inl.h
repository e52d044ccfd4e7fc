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
#include "src/angles-inl.h"
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
  GroupAngles angles;
  for (int e = 0; e < kRotations; ++e) {
    double* const cosines = rotation + static_cast<std::size_t>(e) * 2 * kGroup;
    double* const cosines_low = rotation_low + static_cast<std::size_t>(e) * 2 * kGroup;
    for (std::size_t k = 0; k < kGroup; ++k) angles.Set(k, half_step.Times<Turn<true>>(RotationHalves(e), k));
    PairWaves(angles, 1.0, cosines + kGroup, cosines_low + kGroup, cosines, cosines_low);
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

  // For ForRows.
  HWY_INLINE void operator()(std::size_t k, Vec& f, Vec& f_low, Vec& s, Vec& s_low) const {
    const Doubles d;
    f = hn::Load(d, first + k);
    s = hn::Load(d, second + k);
    if constexpr (kPairs) {
      f_low = hn::Load(d, first_low + k);
      s_low = hn::Load(d, second_low + k);
    } else {
      f_low = s_low = hn::Zero(d);
    }
  }
};

// The recurrence, in doubles or in pairs of doubles.
template <bool kPairs>
class Recurrence {
 public:
  Recurrence(const FrequencyGrid& grid, std::uint64_t offset) : grid_(grid), offset_(offset) {}

  // sin and cos in the middle of the super-block, times the amplitude.
  HWY_NOINLINE void Evaluate(const Group& group, std::int64_t super, Anchors<kPairs>& to) const {
    // In half steps; at most 2^64 - 255.
    const bool negative = super < 0;
    const std::uint64_t middle = 2 * static_cast<std::uint64_t>(super) + (kSuperRows - 1);
    const std::uint64_t distance = negative ? 0 - middle : middle;
    const GroupFractions one = FractionsOfGroup(grid_.whole, group.index);
    double* const sines = grid_.cos_first ? to.second : to.first;
    double* const cosines = grid_.cos_first ? to.first : to.second;
    if constexpr (kPairs) {
      GroupAngles angles;
      for (std::size_t k = 0; k < kGroup; ++k) {
        const auto angle = group.half_step.template Times<Turn<kPairs>>(distance, k);
        angles.Set(k, (negative ? 0 - angle : angle) + one.template Times<Turn<kPairs>>(offset_, k));
      }
      PairWaves(angles, grid_.amplitude, sines, grid_.cos_first ? to.second_low : to.first_low, cosines,
                grid_.cos_first ? to.first_low : to.second_low);
    } else {
      const Doubles d;
      const Bits64 du;
      const Vec amplitude = hn::Set(d, grid_.amplitude);
      const VecBits64 none = hn::Zero(du);
      for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
        VecBits64 turns = TimesFraction(hn::Set(du, distance), hn::Set(du, distance >> 32), group.half_step, k);
        turns = hn::Xor(turns, hn::Set(du, 0 - std::uint64_t{negative}));  // short of a unit of the last place
        if (offset_ != 0) {
          turns = hn::Add(turns, TimesFraction(hn::Set(du, offset_), hn::Set(du, offset_ >> 32), one, k));
        }
        VecBits64 quarters;
        Vec eighths, sin, cos;
        ReduceTurns(d, turns, none, eighths, quarters);
        SinCos(d, eighths, quarters, sin, cos);
        hn::Store(hn::Mul(sin, amplitude), d, sines + k);
        hn::Store(hn::Mul(cos, amplitude), d, cosines + k);
      }
    }
  }

  // The anchor of a block in its super-block, for frequencies from k on, rotated from the super-anchor.
  HWY_INLINE void AnchorFrom(const Group& group, int block_index, const Anchors<kPairs>& from, std::size_t k,
                             Vec& first, Vec& first_low, Vec& second, Vec& second_low) const {
    const Doubles d;
    constexpr int kHalf = kAnchorRotations;
    const bool later = block_index >= kHalf;
    const int e = kRowRotations + (later ? block_index - kHalf : kHalf - 1 - block_index);
    const std::size_t cos_at = static_cast<std::size_t>(e) * 2 * kGroup + k, sin_at = cos_at + kGroup;
    const bool ahead = later != grid_.cos_first;
    first = hn::Load(d, from.first + k);
    second = hn::Load(d, from.second + k);
    if constexpr (kPairs) {
      Vec fa, fal, sa, sal, fb, fbl, sb, sbl;
      Rotate(d, first, Low(d, from.first_low, k), second, Low(d, from.second_low, k),
             hn::Load(d, group.rotation + cos_at), Low(d, group.rotation_low, cos_at),
             hn::Load(d, group.rotation + sin_at), Low(d, group.rotation_low, sin_at), fa, fal, sa, sal, fb, fbl, sb,
             sbl);
      first = ahead ? fa : fb;
      second = ahead ? sa : sb;
      first_low = ahead ? fal : fbl;
      second_low = ahead ? sal : sbl;
    } else {
      RotateOne(group.rotation + static_cast<std::size_t>(e) * 2 * kGroup, hn::Set(d, ahead ? 0.0 : -0.0), k, first,
                second);
      first_low = second_low = hn::Zero(d);
    }
  }

  // The same in memory, from frequency begin to below end on.
  HWY_NOINLINE void RotateAnchors(const Group& group, int block_index, const Anchors<kPairs>& from, std::size_t begin,
                                  std::size_t end, Anchors<kPairs>& to) const {
    const Doubles d;
    for (std::size_t k = begin; k < end; k += hn::Lanes(d)) {
      Vec first, first_low, second, second_low;
      AnchorFrom(group, block_index, from, k, first, first_low, second, second_low);
      hn::Store(first, d, to.first + k);
      hn::Store(second, d, to.second + k);
      if constexpr (kPairs) {
        hn::Store(first_low, d, to.first_low + k);
        hn::Store(second_low, d, to.second_low + k);
      }
    }
  }

  // Calls visit(row, k, first, first_low, second, second_low) for the vectors from frequency begin to below end of the
  // group in the pairs of rows at equal distances from the anchor of a block, the nearest pair_begin .. below pair_end
  // of 8; anchor_of(k, first, first_low, second, second_low) gives the anchors.
  // By rows: row is what row_of(j, 0) gave for row j, and all vectors of a row follow each other.
  template <class AnchorOf, class RowOf, class Visit>
  HWY_INLINE void ForRows(const Group& group, const AnchorOf& anchor_of, std::int64_t block, std::size_t begin,
                          std::size_t end, std::int64_t pair_begin, std::int64_t pair_end, const RowOf& row_of,
                          const Visit& visit) const {
    const Doubles d;
    ForPairs(group, block, 0, pair_begin, pair_end, row_of,
             [&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation,
                 const double* HWY_RESTRICT rotation_low) POSENC_INLINE_LAMBDA {
               for (std::size_t k = begin; k < end; k += hn::Lanes(d)) {
                 Vec first, first_low, second, second_low;
                 anchor_of(k, first, first_low, second, second_low);
                 RotateBoth(rotation, rotation_low, k, first, first_low, second, second_low,
                            [&](Vec fa, Vec fal, Vec sa, Vec sal, Vec fb, Vec fbl, Vec sb, Vec sbl)
                                POSENC_INLINE_LAMBDA {
                                  visit(ahead, k, fa, fal, sa, sal);
                                  visit(back, k, fb, fbl, sb, sbl);
                                });
               }
             });
  }

  // By strips of some vectors, whose anchors stay in registers for all rows: 1.4 times as fast in cache as loading them
  // for each. A strip is 256 bytes of floats of a row, for memory takes whole pages and runs of that length best: 40
  // GB/s past the caches here, where runs of 128 bytes reach 27. Calls visit(ahead, back, k, first and second ahead,
  // first and second back) for a pair of rows at once, which are what row_of(j, strip) gave for the strip that begins
  // at frequency strip; k is counted from there: a constant.
  template <class AnchorOf, class RowOf, class Visit>
  HWY_INLINE void ForStrips(const Group& group, const AnchorOf& anchor_of, std::int64_t block, std::size_t begin,
                            std::size_t end, std::int64_t pair_begin, std::int64_t pair_end, const RowOf& row_of,
                            const Visit& visit) const {
    static_assert(!kPairs);
    const std::size_t lanes = hn::Lanes(Doubles());
    const auto both = [&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation, std::size_t k,
                          Vec first, Vec second) POSENC_INLINE_LAMBDA {
      RotateBoth(rotation, rotation, k, first, first, second, second,
                 [&](Vec fa, Vec, Vec sa, Vec, Vec fb, Vec, Vec sb, Vec)
                     POSENC_INLINE_LAMBDA { visit(ahead, back, k, fa, sa, fb, sb); });
    };
    Vec low;
    std::size_t strip = begin;
#if POSENC_MANY_REGISTERS
    for (; strip + 4 * lanes <= end; strip += 4 * lanes) {
      Vec f0, s0, f1, s1, f2, s2, f3, s3;
      anchor_of(strip, f0, low, s0, low);
      anchor_of(strip + lanes, f1, low, s1, low);
      anchor_of(strip + 2 * lanes, f2, low, s2, low);
      anchor_of(strip + 3 * lanes, f3, low, s3, low);
      ForPairs(group, block, strip, pair_begin, pair_end, row_of,
               [&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation, const double*)
                   POSENC_INLINE_LAMBDA {
                     both(ahead, back, rotation, 0, f0, s0);
                     both(ahead, back, rotation, lanes, f1, s1);
                     both(ahead, back, rotation, 2 * lanes, f2, s2);
                     both(ahead, back, rotation, 3 * lanes, f3, s3);
                   });
    }
#else
    for (; strip + 2 * lanes <= end; strip += 2 * lanes) {
      Vec f0, s0, f1, s1;
      anchor_of(strip, f0, low, s0, low);
      anchor_of(strip + lanes, f1, low, s1, low);
      ForPairs(group, block, strip, pair_begin, pair_end, row_of,
               [&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation, const double*)
                   POSENC_INLINE_LAMBDA {
                     both(ahead, back, rotation, 0, f0, s0);
                     both(ahead, back, rotation, lanes, f1, s1);
                   });
    }
#endif
    for (; strip < end; strip += lanes) {
      ForVector(group, anchor_of, block, strip, pair_begin, pair_end, row_of, visit);
    }
  }

  // The same for one vector, from frequency k on.
  template <class AnchorOf, class RowOf, class Visit>
  HWY_INLINE void ForVector(const Group& group, const AnchorOf& anchor_of, std::int64_t block, std::size_t k,
                            std::int64_t pair_begin, std::int64_t pair_end, const RowOf& row_of,
                            const Visit& visit) const {
    Vec first, second, low;
    anchor_of(k, first, low, second, low);
    ForPairs(group, block, k, pair_begin, pair_end, row_of,
             [&](const auto& ahead, const auto& back, const double* HWY_RESTRICT rotation, const double*)
                 POSENC_INLINE_LAMBDA {
                   RotateBoth(rotation, rotation, 0, first, first, second, second,
                              [&](Vec fa, Vec, Vec sa, Vec, Vec fb, Vec, Vec sb, Vec)
                                  POSENC_INLINE_LAMBDA { visit(ahead, back, 0, fa, sa, fb, sb); });
                 });
  }

  // Rotates a vector in place: ahead if turn is 0, back if -0.
  static HWY_INLINE void RotateOne(const double* HWY_RESTRICT rotation, Vec turn, std::size_t k, Vec& first,
                                   Vec& second) {
    const Doubles d;
    const Vec cos = hn::Load(d, rotation + k);
    const Vec sin = hn::Xor(hn::Load(d, rotation + kGroup + k), turn);
    const Vec moved = hn::MulAdd(first, cos, hn::Mul(second, sin));
    second = hn::MulSub(second, cos, hn::Mul(first, sin));
    first = moved;
  }

  // Calls visit(first, first_low, second, second_low, of the row ahead of the anchor; the same of the row back: that at
  // equal distance on the other side) for a vector.
  template <class Visit>
  static HWY_INLINE void RotateBoth(const double* HWY_RESTRICT rotation, const double* HWY_RESTRICT rotation_low,
                                    std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low,
                                    const Visit& visit) {
    const Doubles d;
    Vec fa, fal, sa, sal, fb, fbl, sb, sbl;
    Rotate(d, first, first_low, second, second_low, hn::Load(d, rotation + k), Low(d, rotation_low, k),
           hn::Load(d, rotation + kGroup + k), Low(d, rotation_low, kGroup + k), fa, fal, sa, sal, fb, fbl, sb, sbl);
    visit(fa, fal, sa, sal, fb, fbl, sb, sbl);
  }

 private:
  // Calls visit_pair(ahead, back, rotation, rotation_low) for the pairs of rows, with the rotations of frequencies from
  // k on.
  template <class RowOf, class VisitPair>
  HWY_INLINE void ForPairs(const Group& group, std::int64_t block, std::size_t k, std::int64_t pair_begin,
                           std::int64_t pair_end, const RowOf& row_of, const VisitPair& visit_pair) const {
    const std::int64_t step = grid_.cos_first ? -1 : 1;
    // Counted from the middle: the block may end with the last int64.
    const std::int64_t middle = block + kRowRotations;
    std::int64_t ahead = grid_.cos_first ? -1 - pair_begin : pair_begin;
    std::int64_t back = grid_.cos_first ? pair_begin : -1 - pair_begin;
    const std::size_t at = static_cast<std::size_t>(pair_begin) * 2 * kGroup + k;
    const double* HWY_RESTRICT rotation = group.rotation + at;
    const double* HWY_RESTRICT rotation_low = group.rotation_low + at;
    for (std::int64_t pair = pair_begin; pair < pair_end; ++pair) {
      visit_pair(row_of(middle + ahead, k), row_of(middle + back, k), rotation, rotation_low);
      ahead += step;
      back -= step;
      rotation += 2 * kGroup;
      rotation_low += 2 * kGroup;
    }
  }

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
