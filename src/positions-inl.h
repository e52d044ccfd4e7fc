// Room kernels: a grid and a list of positions go in, rows go to the store. Every row is evaluated on its own; per
// target.

#if defined(POSENC_SRC_POSITIONS_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_POSITIONS_INL_H_TOGGLE
#undef POSENC_SRC_POSITIONS_INL_H_TOGGLE
#else
#define POSENC_SRC_POSITIONS_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/angles-inl.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/lanes-inl.h"
#include "src/sincos-inl.h"
#include "src/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Angles below this are evaluated with an error relative to their size. Rotated values have an absolute error: near 0
// the test would leave a value of size s open with probability 2^-24 / s (floats), so that rows of low frequencies
// would go to repair again and again.
template <class T>
inline constexpr double kSmallRadians = std::is_same_v<T, double> ? 0x1p-20 : 0x1p-11;

// The series of small angles holds below this for narrow types: sincos-inl.h.
inline constexpr double kSeriesRadians = 0x1p-8;

// The sine of a small angle is within 4 u (floats), or 2^-92.7, of its size: roundings of position, radians, their
// product, the series and the amplitude. For floats the limit is twice that, for the reason in rounding-inl.h; the test
// of doubles takes the bound itself.
template <class T>
inline constexpr double kSmallLimit = std::is_same_v<T, double> ? 0x1p-92 : 0x1p-50;

// A position as the series of small angles reads it: exact = nearest + nearest_low.
struct SmallPosition {
  double nearest;
  double nearest_low;
};

// Which of the frequencies from k on make a small angle at |position|.
template <class T>
HWY_INLINE Mask IsSmall(Doubles d, const FrequencyGrid& grid, std::size_t k, double position) {
  const Vec angles = hn::Mul(hn::Abs(hn::Load(d, grid.radians + k)), hn::Set(d, position));
  return hn::Lt(angles, hn::Set(d, kSmallRadians<T>));
}

// Whether products with the amplitude are so small that pairs of doubles lose their low parts. Doubles are left to
// repair then; narrower types are zeros, whose signs hold.
inline bool UnderflowsPairs(double amplitude) { return amplitude != 0.0 && std::fabs(amplitude) < 0x1p-900; }

// Values of small angles in the order of the layout, and the limits of their tests. eps: of cosines. A sine that is too
// small for its relative error to hold is NaN, which no test lets pass, unless the output is a zero whatever it is.
template <class T>
HWY_INLINE void SmallValues(Doubles d, const FrequencyGrid& grid, std::size_t k, const SmallPosition& position,
                            double eps, Vec& first, Vec& first_low, Vec& second, Vec& second_low, Vec& first_limit,
                            Vec& second_limit) {
  const Vec p = hn::Set(d, position.nearest);
  const Vec radians = hn::Load(d, grid.radians + k);
  const Vec amplitude = hn::Set(d, grid.amplitude);
  Vec x, sin, sin_low = hn::Zero(d), cos, cos_low = hn::Zero(d);
  if constexpr (std::is_same_v<T, double>) {
    Vec x_low, product, product_low;
    PairProduct(d, p, hn::Set(d, position.nearest_low), radians, hn::Load(d, grid.radians_low + k), product,
                product_low);
    FastTwoSum(product, product_low, x, x_low);
    x = hn::CopySign(x, product);  // of -0 too
    SmallSinCosPairs(d, x, x_low, sin, sin_low, cos, cos_low);
    ScalePair(d, amplitude, sin, sin_low);
    ScalePair(d, amplitude, cos, cos_low);
  } else {
    x = hn::Mul(p, radians);
    SmallSinCos(d, x, sin, cos);
    sin = hn::Mul(sin, amplitude);
    cos = hn::Mul(cos, amplitude);
  }
  if ((std::is_same_v<T, double> || grid.is_extreme) && position.nearest != 0.0) {
    const Vec nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const Mask has_angle = hn::Ne(radians, hn::Zero(d));
    sin = hn::IfThenElse(hn::And(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-900)), has_angle), nan, sin);
    if (std::is_same_v<T, double> && UnderflowsPairs(grid.amplitude)) {
      sin = hn::IfThenElse(has_angle, nan, sin);
      cos = hn::IfThenElse(has_angle, nan, cos);
    }
  }
  const Vec eps_vector = hn::Set(d, eps);
  const Vec limit = hn::Mul(hn::Abs(sin), hn::Set(d, kSmallLimit<T>));
  const bool cos_first = grid.cos_first;
  first = cos_first ? cos : sin;
  first_low = cos_first ? cos_low : sin_low;
  first_limit = cos_first ? eps_vector : limit;
  second = cos_first ? sin : cos;
  second_low = cos_first ? sin_low : cos_low;
  second_limit = cos_first ? limit : eps_vector;
}

// What holds for floats here holds for all narrower types.
template <bool kPairs>
using LanesType = std::conditional_t<kPairs, double, float>;

// The values of frequencies k0 + from .. below k0 + count of a row whose angles are small, with their limits. waves:
// from k0 on, of at most a group. mixed: other angles are among them, whose values are there; they get limits too.
template <bool kPairs>
HWY_NOINLINE void SmallWaves(const FrequencyGrid& grid, std::size_t k0, std::size_t from, std::size_t count,
                             const SmallPosition& position, bool mixed, RowWaves& waves) {
  using T = LanesType<kPairs>;
  const Doubles d;
  const double eps = kEps<T> * grid.eps_scale;
  for (std::size_t k = from; k < count; k += hn::Lanes(d)) {
    Vec first, first_low, second, second_low, first_limit, second_limit;
    SmallValues<T>(d, grid, k0 + k, position, eps, first, first_low, second, second_low, first_limit, second_limit);
    if (mixed) {
      const Mask small = IsSmall<T>(d, grid, k0 + k, std::fabs(position.nearest));
      const Vec limit = hn::Set(d, eps);
      first = hn::IfThenElse(small, first, hn::Load(d, waves.first + k));
      second = hn::IfThenElse(small, second, hn::Load(d, waves.second + k));
      first_limit = hn::IfThenElse(small, first_limit, limit);
      second_limit = hn::IfThenElse(small, second_limit, limit);
      if constexpr (kPairs) {
        first_low = hn::IfThenElse(small, first_low, hn::Load(d, waves.first_low + k));
        second_low = hn::IfThenElse(small, second_low, hn::Load(d, waves.second_low + k));
      }
    }
    hn::Store(first, d, waves.first + k);
    hn::Store(second, d, waves.second + k);
    hn::Store(first_limit, d, waves.first_limit + k);
    hn::Store(second_limit, d, waves.second_limit + k);
    if constexpr (kPairs) {
      hn::Store(first_low, d, waves.first_low + k);
      hn::Store(second_low, d, waves.second_low + k);
    }
  }
}

// As Writer::DecideRow. Where no value needs a limit of its own, whole vectors are tested in one first.
template <bool kPairs>
HWY_NOINLINE void DecideRow(const OutputRows& rows, const RowWaves& waves, std::size_t k0, std::size_t from,
                            std::size_t count, std::size_t row, const Position& position, bool has_small) {
  ForType<kPairs>(rows.type(), [&](auto t) POSENC_INLINE_LAMBDA {
    const Writer<decltype(t)> writer(rows);
    if constexpr (!kPairs) {
      if (!has_small && !rows.adds()) from = writer.StoreWhole(waves, k0, from, count, row);
    }
    if (from < count) writer.DecideRow(waves, k0, from, count, row, position, has_small);
  });
}

// Frequencies k0 .. below k0 + count of a row, at most a group, whose angles are small.
template <bool kPairs>
HWY_NOINLINE void SmallRow(const OutputRows& rows, std::size_t k0, std::size_t count, std::size_t row,
                           const Position& exact, const SmallPosition& position) {
  RowWaves waves;
  SmallWaves<kPairs>(rows.grid(), k0, 0, count, position, false, waves);
  DecideRow<kPairs>(rows, waves, k0, 0, count, row, exact, true);
}

// What ends a row after its pairs.
template <bool kPairs>
HWY_NOINLINE void StoreZero(const OutputRows& rows, std::size_t row) {
  ForType<kPairs>(rows.type(), [&](auto t) POSENC_INLINE_LAMBDA { Writer<decltype(t)>(rows).StoreZero(row); });
}

// Evaluates the groups begin .. below end, at most RowWaves::kGroups. Apart from the store, which takes 2 loads and 2
// stores a vector more: one copy serves all types, and is 1.3 times as fast, for the processor sees further ahead.
inline HWY_NOINLINE void Evaluate(const FrequencyGrid& grid, const ListPosition& position, std::size_t begin,
                                  std::size_t end, RowWaves& to) {
  const Doubles d;
  const Vec amplitude = hn::Set(d, grid.amplitude);
  const bool is_scaled = grid.is_scaled;
  const std::size_t k0 = begin * kGroup, last = std::min(end * kGroup, grid.shape.sines);
  double* HWY_RESTRICT sines = grid.cos_first ? to.second : to.first;
  double* HWY_RESTRICT cosines = grid.cos_first ? to.first : to.second;
  const auto store = [&](std::size_t k, Vec eighths, VecBits64 quarters) POSENC_INLINE_LAMBDA {
    Vec sin, cos;
    SinCos(d, eighths, quarters, sin, cos);
    if (HWY_UNLIKELY(is_scaled)) {
      sin = hn::Mul(sin, amplitude);
      cos = hn::Mul(cos, amplitude);
    }
    hn::Store(sin, d, sines + (k - k0));
    hn::Store(cos, d, cosines + (k - k0));
  };
#if HWY_NATIVE_FMA
  double farthest = 0.0;
  for (std::size_t g = begin; g < end; ++g) farthest = std::max(farthest, grid.most_radians[g]);
  if (position.nearest_low == 0.0 && farthest * std::fabs(position.nearest) < kDoublesRadians) {
    return ForDoubleAngles(d, grid, position.nearest, k0, last, store);
  }
#endif
  if (position.is_split && position.fraction == 0) {
    return ForSplitAngles<false>(d, grid, position, k0, last, store);
  }
  for (std::size_t g = begin; g < end; ++g) {
    GroupAngles angles;
    AnglesOf<false>(grid, position, g, angles);
    for (std::size_t k = 0; k < std::min(kGroup, last - g * kGroup); k += hn::Lanes(d)) {
      store(g * kGroup + k, hn::Load(d, angles.eighths + k), hn::Load(Bits64(), angles.quarters + k));
    }
  }
}

// Evaluates a group in pairs of doubles.
inline HWY_NOINLINE void EvaluatePairs(const FrequencyGrid& grid, const ListPosition& position, std::size_t g,
                                       RowWaves& to) {
  GroupAngles angles;
  AnglesOf<true>(grid, position, g, angles);
  const bool swap = grid.cos_first;
  PairWaves(angles, grid.amplitude, swap ? to.second : to.first, swap ? to.second_low : to.first_low,
            swap ? to.first : to.second, swap ? to.first_low : to.second_low);
  if (HWY_UNLIKELY(UnderflowsPairs(grid.amplitude))) {
    for (std::size_t k = 0; k < kGroup; ++k) to.first[k] = to.second[k] = std::numeric_limits<double>::quiet_NaN();
  }
}

// Rows of a list, each evaluated for itself.
template <bool kPairs>
class ListKernel {
 public:
  explicit ListKernel(const OutputRows& rows) : grid_(rows.grid()), rows_(rows) {}

  void Run(const ListPosition* positions, std::size_t count) const {
    for (std::size_t row = 0; row < count; ++row) {
      const ListPosition& position = positions[row];
      if (HWY_UNLIKELY(position.is_nan)) {
        ForType<kPairs>(rows_.type(), [&](auto t) POSENC_INLINE_LAMBDA { Writer<decltype(t)>(rows_).StoreNan(row); });
      } else {
        Groups(position, 0, grid_.groups, row);
      }
      if (rows_.has_zero()) StoreZero<kPairs>(rows_, row);
    }
    rows_.Flush();
  }

  // The groups begin .. below end of a row; the position is no NaN.
  HWY_NOINLINE void Groups(const ListPosition& position, std::size_t begin, std::size_t end, std::size_t row) const {
    while (begin < end) begin = SomeGroups(position, begin, end, row);
  }

 private:
  using T = LanesType<kPairs>;

  // Writes some groups from g on; returns the next one.
  HWY_INLINE std::size_t SomeGroups(const ListPosition& position, std::size_t g, std::size_t limit,
                                    std::size_t row) const {
    const double distance = std::fabs(position.nearest);
    const SmallPosition small_position{position.nearest, position.nearest_low};
    const std::size_t k0 = g * kGroup;
    if (distance * grid_.most_radians[g] < kSmallRadians<T>) {
      SmallRow<kPairs>(rows_, k0, std::min(kGroup, grid_.shape.sines - k0), row, position.exact, small_position);
      return g + 1;
    }
    const auto has_small = [&](std::size_t group) { return distance * grid_.least_radians[group] < kSmallRadians<T>; };
    const bool mixed = rows_.is_extreme() || has_small(g);
    std::size_t end = g + 1;
    RowWaves waves;
    if constexpr (kPairs) {
      EvaluatePairs(grid_, position, g, waves);
    } else {
      if (!mixed) {
        while (end < limit && end - g < RowWaves::kGroups && !has_small(end)) ++end;
      }
      Evaluate(grid_, position, g, end, waves);
    }
    const std::size_t count = std::min(end * kGroup, grid_.shape.sines) - k0;
    if (HWY_UNLIKELY(mixed)) SmallWaves<kPairs>(grid_, k0, 0, count, small_position, true, waves);
    DecideRow<kPairs>(rows_, waves, k0, 0, count, row, position.exact, mixed);
    return end;
  }

  const FrequencyGrid& grid_;
  const OutputRows& rows_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_POSITIONS_INL_H_TOGGLE
