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

// Writes the vectors k = begin .. below end of a row; every angle is small.
template <class T>
HWY_NOINLINE void WriteSmall(const Writer<T>& writer, std::size_t begin, std::size_t end, std::size_t row,
                             const Position& exact, const SmallPosition& position, double eps) {
  const Doubles d;
  for (std::size_t k = begin; k < end; k += hn::Lanes(d)) {
    Vec first, first_low, second, second_low, first_limit, second_limit;
    SmallValues<T>(d, writer.grid(), k, position, eps, first, first_low, second, second_low, first_limit, second_limit);
    writer.DecideAny(d, first, first_low, second, second_low, first_limit, second_limit, row, k,
                     std::min(hn::Lanes(d), end - k), exact, true);
  }
}

// Decides a vector of which some angles are small: these are evaluated anew.
template <class T>
HWY_NOINLINE void DecideMixed(Doubles d, const Writer<T>& writer, Vec first, Vec first_low, Vec second, Vec second_low,
                              std::size_t k, std::size_t lanes, std::size_t row, const Position& exact,
                              const SmallPosition& position, double eps) {
  const Mask small = IsSmall<T>(d, writer.grid(), k, std::fabs(position.nearest));
  Vec f, f_low, s, s_low, f_limit, s_limit;
  SmallValues<T>(d, writer.grid(), k, position, eps, f, f_low, s, s_low, f_limit, s_limit);
  const Vec limit = hn::Set(d, eps);
  writer.DecideAny(d, hn::IfThenElse(small, f, first), hn::IfThenElse(small, f_low, first_low),
                   hn::IfThenElse(small, s, second), hn::IfThenElse(small, s_low, second_low),
                   hn::IfThenElse(small, f_limit, limit), hn::IfThenElse(small, s_limit, limit), row, k, lanes, exact,
                   true);
}

// Values of some groups of a row in double lanes, times the amplitude and in the order of the layout.
struct RowWaves {
  static constexpr std::size_t kGroups = 8;
  HWY_ALIGN_MAX double first[kGroups * kGroup];
  HWY_ALIGN_MAX double second[kGroups * kGroup];
};

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

// Rows of a list, each evaluated for itself.
template <class T>
class ListKernel {
 public:
  static constexpr bool kPairs = std::is_same_v<T, double>;

  ListKernel(const FrequencyGrid& grid, const Output& output)
      : grid_(grid), writer_(grid, output), eps_(kEps<T> * grid.eps_scale) {}

  void Run(const ListPosition* positions, std::size_t count) const {
    for (std::size_t row = 0; row < count; ++row) {
      const ListPosition& position = positions[row];
      if (position.is_nan) {
        writer_.StoreNan(row);
      } else {
        Groups(position, 0, grid_.groups, row);
      }
      writer_.StoreZero(row);
    }
    Flush();
  }

  // Waits for what was streamed.
  void Flush() const {
    if (writer_.streams()) hwy::FlushStream();
  }

  // The groups begin .. below end of a row; the position is no NaN.
  HWY_NOINLINE void Groups(const ListPosition& position, std::size_t begin, std::size_t end, std::size_t row) const {
    while (begin < end) begin = SomeGroups(position, begin, end, row);
  }

  // Stores the whole vectors of groups without small angles, then tests them. Returns how many frequencies are done:
  // none where something is open.
  HWY_NOINLINE std::size_t StoreWhole(const RowWaves& waves, std::size_t begin, std::size_t end,
                                      std::size_t row) const {
    const Doubles d;
    const std::size_t k0 = begin * kGroup;
    const std::size_t cosines = grid_.shape.cosines - std::min(grid_.shape.cosines, k0);
    const std::size_t whole = std::min((end - begin) * kGroup, cosines) / hn::Lanes(d) * hn::Lanes(d);
    const Vec eps = hn::Set(d, eps_);
    Vec tested_first = NoTest<T>(d), tested_second = tested_first;
    const bool in_runs = writer_.in_runs(), streams = writer_.streams();
    const auto places = writer_.Places(row, k0);
    for (std::size_t k = 0; k < whole; k += hn::Lanes(d)) {
      const Vec first = hn::Load(d, waves.first + k), second = hn::Load(d, waves.second + k);
      tested_first = AddTest<T>(d, tested_first, first, first, eps);
      tested_second = AddTest<T>(d, tested_second, second, second, eps);
      if (in_runs) {
        Writer<T>::template Store<true>(d, first, second, places, k, streams);
      } else {
        Writer<T>::template Store<false>(d, first, second, places, k, streams);
      }
    }
    const Mask open = hn::Or(Undecided<T>(d, tested_first, eps), Undecided<T>(d, tested_second, eps));
    if (HWY_LIKELY(hn::AllFalse(d, open))) return whole;
    Flush();  // what is repaired comes after what was streamed
    return 0;
  }

  const Writer<T>& writer() const { return writer_; }

 private:
  // Writes some groups from g on; returns the next one.
  HWY_INLINE std::size_t SomeGroups(const ListPosition& position, std::size_t g, std::size_t limit,
                                    std::size_t row) const {
    const double distance = std::fabs(position.nearest);
    if (distance * grid_.most_radians[g] < kSmallRadians<T>) {
      WriteSmall(writer_, g * kGroup, std::min((g + 1) * kGroup, grid_.shape.sines), row, position.exact,
                 {position.nearest, position.nearest_low}, eps_);
      return g + 1;
    }
    const auto has_small = [&](std::size_t group) { return distance * grid_.least_radians[group] < kSmallRadians<T>; };
    const bool mixed = writer_.is_extreme() || has_small(g);
    if constexpr (kPairs) {
      GroupInPairs(position, g, row, mixed);
      return g + 1;
    } else {
      std::size_t end = g + 1;
      if (!mixed) {
        while (end < limit && end - g < RowWaves::kGroups && !has_small(end)) ++end;
      }
      RowWaves waves;
      Evaluate(grid_, position, g, end, waves);
      const std::size_t done = mixed || writer_.adds() ? 0 : StoreWhole(waves, g, end, row);
      if (HWY_UNLIKELY(g * kGroup + done < std::min(end * kGroup, grid_.shape.sines))) {
        DecideWaves(position, waves, g, done, end, row, mixed);
      }
      return end;
    }
  }

  // The vectors from frequency from of the groups on, each tested and repaired on its own.
  HWY_NOINLINE void DecideWaves(const ListPosition& position, const RowWaves& waves, std::size_t begin,
                                std::size_t from, std::size_t end, std::size_t row, bool mixed) const {
    const Doubles d;
    const std::size_t k0 = begin * kGroup;
    const std::size_t count = std::min(end * kGroup, grid_.shape.sines) - k0;
    const Vec zero = hn::Zero(d), eps = hn::Set(d, eps_);
    for (std::size_t k = from; k < count; k += hn::Lanes(d)) {
      const Vec first = hn::Load(d, waves.first + k), second = hn::Load(d, waves.second + k);
      const std::size_t lanes = std::min(hn::Lanes(d), count - k);
      if (mixed) {
        DecideMixed(d, writer_, first, zero, second, zero, k0 + k, lanes, row, position.exact,
                    {position.nearest, position.nearest_low}, eps_);
      } else {
        writer_.DecideAny(d, first, zero, second, zero, eps, eps, row, k0 + k, lanes, position.exact, false);
      }
    }
  }

  HWY_INLINE void GroupInPairs(const ListPosition& position, std::size_t g, std::size_t row, bool mixed) const {
    const Doubles d;
    GroupAngles angles;
    AnglesOf<true>(grid_, position, g, angles);
    const std::size_t k0 = g * kGroup;
    const std::size_t end = std::min(kGroup, grid_.shape.sines - k0);
    const Vec amplitude = hn::Set(d, grid_.amplitude);
    const Vec eps = hn::Set(d, eps_);
    for (std::size_t k = 0; k < end; k += hn::Lanes(d)) {
      Vec sin, cos, sin_low, cos_low;
      SinCosPairs(d, hn::Load(d, angles.eighths + k), hn::Load(d, angles.eighths_low + k),
                  hn::Load(Bits64(), angles.quarters + k), sin, sin_low, cos, cos_low);
      ScalePair(d, amplitude, sin, sin_low);
      ScalePair(d, amplitude, cos, cos_low);
      if (UnderflowsPairs(grid_.amplitude)) sin = cos = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
      const std::size_t lanes = std::min(hn::Lanes(d), end - k);
      if (grid_.cos_first) {
        SwapVectors(sin, cos);
        SwapVectors(sin_low, cos_low);
      }
      if (HWY_UNLIKELY(mixed)) {
        DecideMixed(d, writer_, sin, sin_low, cos, cos_low, k0 + k, lanes, row, position.exact,
                    {position.nearest, position.nearest_low}, eps_);
      } else if (writer_.adds()) {
        writer_.DecideAny(d, sin, sin_low, cos, cos_low, eps, eps, row, k0 + k, lanes, position.exact, false);
      } else {
        writer_.Decide(d, sin, sin_low, cos, cos_low, eps, eps, row, k0 + k, lanes, position.exact, false, false);
      }
    }
  }

  const FrequencyGrid& grid_;
  const Writer<T> writer_;
  const double eps_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_POSITIONS_INL_H_TOGGLE
