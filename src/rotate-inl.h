// Room kernels: a grid, positions and rows of x go in, x with every pair advanced by the position of its row goes to
// the store: (a, b) -> (a cos - b sin, a sin + b cos); per target.
//
// A row of x holds the heads of a token. Sines and cosines, times the amplitude, are evaluated once a token and used
// for all of them.
//
// Error, in units of u = 2^-53 times the amplitude times |a| + |b|. In double lanes sine and cosine are within 3 u, the
// products and the sum add at most 3 u: 6 u < eps = 2^-50. In pairs of doubles sine and cosine are within 2^-100, the
// products and the sum add 2^-103: below 2^-97. Products that underflow add 2^-1070; so may the amplitude, to sine and
// cosine.

#if defined(POSENC_SRC_ROTATE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_ROTATE_INL_H_TOGGLE
#undef POSENC_SRC_ROTATE_INL_H_TOGGLE
#else
#define POSENC_SRC_ROTATE_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/angles-inl.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/lanes-inl.h"
#include "src/positions-inl.h"
#include "src/repair.h"
#include "src/rounding-inl.h"
#include "src/sincos-inl.h"
#include "src/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Frequencies whose sines and cosines are kept at a time: rows of up to twice as many elements a head are read in one
// pass, and the tables stay in L1 beside them.
inline constexpr std::size_t kWaves = 4 * kGroup;

// amplitude * cos and amplitude * sin of one position. An element with |a| + |b| < least is exact in its lane: a zero
// with the sign that IEEE 754 gives it.
template <bool kPairs>
struct Waves {
  HWY_ALIGN_MAX double cos[kWaves];
  HWY_ALIGN_MAX double sin[kWaves];
  HWY_ALIGN_MAX double least[kWaves];
  HWY_ALIGN_MAX double cos_low[kPairs ? kWaves : 1];
  HWY_ALIGN_MAX double sin_low[kPairs ? kWaves : 1];

  // A group of NaNs.
  HWY_NOINLINE void SetNan(std::size_t at) {
    const Vec nan = hn::Set(Doubles(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = at; k < at + kGroup; k += hn::Lanes(Doubles())) {
      hn::Store(nan, Doubles(), sin + k);
      hn::Store(nan, Doubles(), cos + k);
      hn::Store(nan, Doubles(), least + k);
      if constexpr (kPairs) {
        hn::Store(nan, Doubles(), sin_low + k);
        hn::Store(nan, Doubles(), cos_low + k);
      }
    }
  }

  // Fills the waves from at on with the frequencies of group g.
  HWY_NOINLINE void Evaluate(const FrequencyGrid& grid, const ListPosition& position, std::size_t g, std::size_t at) {
    using T = std::conditional_t<kPairs, double, float>;  // what is float here holds for all narrower types
    const Doubles d;
    const double distance = std::fabs(position.nearest);
    const bool some_small = distance * grid.least_radians[g] < kSmallRadians<T>;
    const bool all_small = distance * grid.most_radians[g] < kSmallRadians<T>;
    GroupAngles angles;
    if (!all_small) AnglesOf<kPairs>(grid, position, g, angles);
    const Vec zero = hn::Zero(d);
    const Vec amplitude = hn::Set(d, grid.amplitude);
    const Vec least_size = hn::Set(d, 0x1p-1074);
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      Vec s = zero, s_low = zero, c = zero, c_low = zero, exact_below = least_size;
      if (!all_small) {
        const auto quarters = hn::Load(Bits64(), angles.quarters + k);
        if constexpr (kPairs) {
          SinCosPairs(d, hn::Load(d, angles.eighths + k), hn::Load(d, angles.eighths_low + k), quarters, s, s_low, c,
                      c_low);
        } else {
          SinCos(d, hn::Load(d, angles.eighths + k), quarters, s, c);
        }
        // So near to 0 that the sign is not sure.
        const Mask unsure = hn::Lt(hn::Min(hn::Abs(s), hn::Abs(c)), hn::Set(d, kEps<T>));
        exact_below = hn::IfThenZeroElse(unsure, exact_below);
        if constexpr (kPairs) {
          ScalePair(d, amplitude, s, s_low);
          ScalePair(d, amplitude, c, c_low);
        } else {
          s = hn::Mul(s, amplitude);
          c = hn::Mul(c, amplitude);
        }
      }
      if (some_small) {
        const std::size_t f = g * kGroup + k;
        const Mask small = IsSmall<T>(d, grid, f, distance);
        Vec first, first_low, second, second_low, first_limit, second_limit;
        SmallValues<T>(d, grid, f, {position.nearest, position.nearest_low}, 0.0, first, first_low, second, second_low,
                       first_limit, second_limit);
        const bool cos_first = grid.cos_first;
        s = hn::IfThenElse(small, cos_first ? second : first, s);
        c = hn::IfThenElse(small, cos_first ? first : second, c);
        if constexpr (kPairs) {
          s_low = hn::IfThenElse(small, cos_first ? second_low : first_low, s_low);
          c_low = hn::IfThenElse(small, cos_first ? first_low : second_low, c_low);
        }
        // No rotation: zeros keep their sign, which an added zero could change.
        const Vec radians = hn::Mul(hn::Load(d, grid.radians + f), hn::Set(d, distance == 0.0 ? 0.0 : 1.0));
        exact_below = hn::IfThenElse(small, hn::IfThenZeroElse(hn::Eq(radians, zero), least_size), exact_below);
      }
      hn::Store(s, d, sin + at + k);
      hn::Store(c, d, cos + at + k);
      hn::Store(exact_below, d, least + at + k);
      if constexpr (kPairs) {
        hn::Store(s_low, d, sin_low + at + k);
        hn::Store(c_low, d, cos_low + at + k);
      }
    }
  }
};

// Heads from the one that is rotated to the one that is prefetched. Without it, x from memory in two runs of doubles
// took twice as long (Zen 4).
inline constexpr std::size_t kHeadsAhead = 2;

template <class T>
class RotateKernel {
 public:
  static constexpr bool kPairs = std::is_same_v<T, double>;

  RotateKernel(const FrequencyGrid& grid, HeadShape shape, const Output& rows)
      : grid_(grid),
        shape_(shape),
        rows_(rows),
        half_(grid.shape.cosines),
        eps_(grid.eps_scale > 0x1p800 ? 0x1p1000  // everything is open
                                      : kEps<T> * grid.eps_scale + (kPairs ? 0x1p-1066 : 0.0)) {}

  void Run(const ListPosition* positions, std::size_t count) const {
    for (std::size_t row = 0; row < count; ++row) {
      const Output heads = HeadsOf(row);
      const Position* const exact = positions[row].is_nan ? nullptr : &positions[row].exact;
      for (std::size_t k0 = 0; k0 < half_; k0 += kWaves) {
        Waves<kPairs> waves;
        const std::size_t end = std::min(kWaves, half_ - k0);
        for (std::size_t k = 0; k < end; k += kGroup) {
          if (exact == nullptr) {
            waves.SetNan(k);
          } else {
            waves.Evaluate(grid_, positions[row], (k0 + k) / kGroup, k);
          }
        }
        RotateHeads(heads, exact, k0, end, waves);
      }
      if (rows_.x != rows_.data) CopyRest(heads);
    }
    hwy::FlushStream();
  }

 private:
  // The heads of a row, as rows themselves.
  Output HeadsOf(std::size_t row) const {
    const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(row);
    Output heads = rows_;
    heads.data = static_cast<char*>(rows_.data) + rows * rows_.row_bytes;
    heads.x = static_cast<const char*>(rows_.x) + rows * rows_.x_row_bytes;
    heads.row_bytes = heads.x_row_bytes = static_cast<std::ptrdiff_t>(shape_.head_dim * sizeof(T));
    return heads;
  }

  // What follows the pairs of a head.
  void CopyRest(const Output& heads) const {
    const std::size_t rotated = 2 * half_ * sizeof(T);
    const std::size_t head_bytes = shape_.head_dim * sizeof(T);
    if (head_bytes == rotated) return;
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      const std::size_t at = head * head_bytes + rotated;
      std::memcpy(static_cast<char*>(heads.data) + at, static_cast<const char*>(heads.x) + at, head_bytes - rotated);
    }
  }

  // Frequencies k0 .. k0 + end - 1 of all heads. position is null for waves that are NaN.
  HWY_NOINLINE void RotateHeads(const Output& heads, const Position* position, std::size_t k0, std::size_t end,
                                const Waves<kPairs>& waves) const {
    const Doubles d;
    const OutputRows rows(grid_, heads);
    const Writer<T> writer(rows);
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      const auto from = writer.XPlaces(head, k0);
      const auto next = writer.XPlaces(head + kHeadsAhead, k0);
      const auto to = writer.Places(head, k0);
      for (std::size_t k = 0; k < end; k += hn::Lanes(d)) {
        const std::size_t lanes = std::min(hn::Lanes(d), end - k);
        const bool whole = lanes == hn::Lanes(d);
        Vec a, b, first, first_low, second, second_low;
        if (HWY_LIKELY(whole)) {
          writer.Prefetch(rows.in_runs(), next, k, rows.streams());
          writer.LoadAny(d, from, k, a, b);
        } else {
          Vec part_a, part_b;  // of their own: what a function writes to lives in memory
          LoadPart(d, writer, head, k0 + k, lanes, part_a, part_b);
          a = part_a;
          b = part_b;
        }
        const Vec size = hn::Add(hn::Abs(a), hn::Abs(b));
        RotateVector(d, waves, k, a, b, size, first, first_low, second, second_low);
        if (HWY_UNLIKELY(!whole || !IsDecided(d, size, first, first_low, second, second_low))) {
          const Vec least = hn::Load(d, waves.least + k);
          if (Finish(d, heads, rows.places(), first, first_low, second, second_low, a, b, least, head, k0 + k, lanes,
                     position)) {
            continue;
          }
        }
        writer.StoreAny(d, first, second, to, k);
      }
    }
  }

  // The rotation of a vector of pairs of size |a| + |b| by waves k, k + 1, ...
  static HWY_INLINE void RotateVector(Doubles d, const Waves<kPairs>& waves, std::size_t k, Vec a, Vec b,
                                      HWY_MAYBE_UNUSED Vec size, Vec& first, Vec& first_low, Vec& second,
                                      Vec& second_low) {
    const Vec cos = hn::Load(d, waves.cos + k);
    const Vec sin = hn::Load(d, waves.sin + k);
    if constexpr (kPairs) {
      const Vec cos_low = hn::Load(d, waves.cos_low + k);
      const Vec sin_low = hn::Load(d, waves.sin_low + k);
      const Vec zero = hn::Zero(d);
      Vec ac, ac_low, as, as_low, bc, bc_low, bs, bs_low;
      PairProduct(d, cos, cos_low, a, zero, ac, ac_low);
      PairProduct(d, sin, sin_low, a, zero, as, as_low);
      PairProduct(d, cos, cos_low, b, zero, bc, bc_low);
      PairProduct(d, sin, sin_low, b, zero, bs, bs_low);
      PairSum(ac, ac_low, hn::Neg(bs), hn::Neg(bs_low), first, first_low);
      PairSum(as, as_low, bc, bc_low, second, second_low);
      const Mask no_size = hn::Eq(size, zero);  // -0 + -0 is -0
      first = hn::IfThenElse(no_size, hn::Sub(ac, bs), first);
      second = hn::IfThenElse(no_size, hn::Add(as, bc), second);
    } else {
      first = hn::MulSub(a, cos, hn::Mul(b, sin));
      second = hn::MulAdd(a, sin, hn::Mul(b, cos));
      first_low = second_low = hn::Zero(d);
    }
  }

  // Whether all rounded elements are sure. Zeros are not: Finish knows better.
  HWY_INLINE bool IsDecided(Doubles d, Vec size, Vec first, Vec first_low, Vec second, Vec second_low) const {
    const Vec limit = LimitOf(d, size);
    if constexpr (kPairs) {
      return hn::AllFalse(d, hn::Or(Open(d, first, first_low, limit), Open(d, second, second_low, limit)));
    } else {
      // Not by Min, in which the NaN of an infinite element can get lost.
      return hn::AllTrue(d, hn::And(hn::Gt(FromMiddle<T>(d, first), limit), hn::Gt(FromMiddle<T>(d, second), limit)));
    }
  }

  HWY_INLINE Vec LimitOf(Doubles d, Vec size) const {
    return hn::MulAdd(size, hn::Set(d, eps_), hn::Set(d, kSubnormalLimit));
  }

  static HWY_INLINE Mask Open(Doubles d, Vec high, Vec low, Vec limit) {
    const Mask open = Undecided<T>(d, Test<T>(d, high, low, limit), limit);
    if constexpr (kPairs) {
      // NaN, infinity, and values whose error terms could overflow.
      return hn::Or(open, hn::Not(hn::Lt(hn::Abs(high), hn::Set(d, 0x1p1000))));
    } else {
      return open;
    }
  }

  // Element by element: what the test leaves open, and parts of vectors. False: a whole vector was all zeros that are
  // exact, and is still to be stored.
  [[gnu::cold]] HWY_NOINLINE bool Finish(Doubles d, const Output& heads, const RowPlaces& places, Vec first,
                                         Vec first_low, Vec second, Vec second_low, Vec a, Vec b, Vec least,
                                         std::size_t head, std::size_t k, std::size_t lanes,
                                         const Position* position) const {
    const Vec size = hn::Add(hn::Abs(a), hn::Abs(b));
    const Vec limit = hn::IfThenZeroElse(hn::Lt(size, least), LimitOf(d, size));
    Mask first_open = Open(d, first, first_low, limit), second_open = Open(d, second, second_low, limit);
    if (position == nullptr) {
      a = b = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
      first_open = second_open = hn::Eq(hn::Zero(d), hn::Zero(d));
    } else if (lanes == hn::Lanes(d) && hn::AllFalse(d, hn::Or(first_open, second_open))) {
      return false;
    }
    constexpr std::size_t kMax = hn::MaxLanes(Doubles());
    HWY_ALIGN_MAX double open[2][kMax];
    HWY_ALIGN_MAX double x[2][kMax];
    HWY_ALIGN_MAX T rounded[2][kMax];
    hn::Store(hn::IfThenElseZero(first_open, hn::Set(d, 1.0)), d, open[0]);
    hn::Store(hn::IfThenElseZero(second_open, hn::Set(d, 1.0)), d, open[1]);
    hn::Store(a, d, x[0]);
    hn::Store(b, d, x[1]);
    Writer<T>::Store(std::true_type(), d, first, second, {rounded[0], rounded[1]}, 0, false);
    T* const to = static_cast<T*>(heads.data) + head * shape_.head_dim;
    const Position exact = position == nullptr ? Position{} : *position;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Turns& turns = grid_.turns[k + lane];
      if (open[0][lane] != 0.0) {
        rounded[0][lane] = RepairRotation<T>(turns, exact, grid_.amplitude, x[0][lane], -x[1][lane]);
      }
      if (open[1][lane] != 0.0) {
        rounded[1][lane] = RepairRotation<T>(turns, exact, grid_.amplitude, x[1][lane], x[0][lane]);
      }
      to[places.first + (k + lane) * places.step] = rounded[0][lane];
      to[places.second + (k + lane) * places.step] = rounded[1][lane];
    }
    return true;
  }

  // Fewer frequencies than a vector has lanes; the other lanes are any numbers.
  [[gnu::cold]] static HWY_NOINLINE void LoadPart(Doubles d, const Writer<T>& writer, std::size_t head, std::size_t k,
                                                  std::size_t lanes, Vec& a, Vec& b) {
    HWY_ALIGN_MAX double x[2][hn::MaxLanes(Doubles())] = {};
    const auto from = writer.XPlaces(head, k);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      x[0][lane] = ExactValue(from.second == nullptr ? from.first[2 * lane] : from.first[lane]);
      x[1][lane] = ExactValue(from.second == nullptr ? from.first[2 * lane + 1] : from.second[lane]);
    }
    a = hn::Load(d, x[0]);
    b = hn::Load(d, x[1]);
  }

  // A part of every limit but that of exact zeros: at least the errors of underflow, and at least half a cell of
  // subnormal results, of which the test is no judge. (That of Half judges them; it takes 0 for 2^-1000 from a middle.)
  static constexpr double kSubnormalLimit = kPairs                    ? 0x1p-1068
                                            : std::is_same_v<T, Half> ? 0x1p-900
                                                                      : Precision<T>::kZero;

  const FrequencyGrid& grid_;
  const HeadShape shape_;
  const Output rows_;
  const std::size_t half_;  // pairs of a head
  const double eps_;        // the limit of the test for |a| + |b| = 1
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_ROTATE_INL_H_TOGGLE
