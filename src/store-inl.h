// Room store: vectors of values in double lanes go in, correctly rounded elements of the output type leave to the
// caller's memory, in the caller's layout. Per target; the only writer.
//
// The rounding test. A value v comes with the promise that the exact value y is within eps of it. v lies in a cell: the
// reals with the same leading bits, as many as T keeps. m, the middle of the cell, is the only real between the two
// ends of the cell at which rounding to T changes, and v - m is exact (both are multiples of the last bit of v, and the
// difference is below the size of the cell). If |v - m| > eps, then y and v are on the same side of m and round alike.
// Where v is next to the lower end 2^e of a binade, the middle of the cell below is nearer than half a cell: 2^(e-p-1)
// from v for the p bits of T. If eps >= that, then |v - m| <= 2^(e-p) <= 2 eps. So a limit of 2 eps, or of eps when eps
// is a power of two, lets nothing undecided pass. What does not pass goes to repair.
//
// Doubles come as high + low: v = high, to nearest, is right if high + (low - eps) and high + (low + eps) round alike.

#if defined(POSENC_SRC_STORE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_STORE_INL_H_TOGGLE
#undef POSENC_SRC_STORE_INL_H_TOGGLE
#else
#define POSENC_SRC_STORE_INL_H_TOGGLE
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "src/grid.h"
#include "src/lanes-inl.h"
#include "src/repair.h"
#include "src/store.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whole vectors can be permuted across their 128-bit blocks, and stores can go past the caches.
#define POSENC_WHOLE_VECTORS (HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

// What the rounding test and the conversions know of a type: how many fraction bits of a double it drops, its least
// normal value, and a value below which every result is a zero.
template <class T>
struct Precision;
template <>
struct Precision<float> {
  static constexpr int kDropped = 29;
  static constexpr double kNormal = 0x1p-126, kZero = 0x1p-151;
};
template <>
struct Precision<BFloat16> {
  static constexpr int kDropped = 45;
  static constexpr double kNormal = 0x1p-126, kZero = 0x1p-135;
};
template <>
struct Precision<Half> {
  static constexpr int kDropped = 42;
  static constexpr double kNormal = 0x1p-14, kZero = 0x1p-26;
};
template <>
struct Precision<double> {
  static constexpr double kNormal = 0x1p-900, kZero = 0.0;  // below 2^-900 low parts lose bits
};

// eps of values of amplitude 1, a power of two. Double lanes: the sum of 12 u derived in range-inl.h is below 2^-49.
// Pairs of doubles: the like sum is below 2^-98.
template <class T>
inline constexpr double kEps = std::is_same_v<T, double> ? 0x1p-97 : 0x1p-49;

// |v - m|, for every T but double.
template <class T>
HWY_INLINE Vec FromMiddle(Doubles d, Vec v) {
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << (Precision<T>::kDropped - 1);
  constexpr std::uint64_t kKept = ~((std::uint64_t{1} << Precision<T>::kDropped) - 1);
  const Bits64 du;
  const auto middle_of = [&](Vec value) HWY_ATTR {
    return hn::OrAnd(hn::BitCast(d, hn::Set(du, kMiddle)), value, hn::BitCast(d, hn::Set(du, kKept)));
  };
  if constexpr (std::is_same_v<T, Half>) {
    // Subnormal results have the spacing of the binade above, which adding 2^-14 moves |v| into. The sum is off by
    // 2^-67 at most, and so is the distance. Near 0 the sign of the result changes: that counts as a middle too, except
    // for 0 itself, which is exact.
    const Vec size = hn::Abs(v);
    const Vec least = hn::Set(d, Precision<Half>::kNormal);
    v = hn::IfThenElse(hn::Lt(size, least), hn::Add(size, least), v);
    const Vec distance = hn::Sub(hn::Abs(hn::Sub(v, middle_of(v))), hn::Set(d, 0x1p-67));
    return hn::Min(distance, hn::Add(size, hn::Set(d, 0x1p-1000)));
  }
  return hn::Abs(hn::Sub(v, middle_of(v)));
}

// The test of one vector: its distance from the middle, or for doubles the bits in which the two roundings differ.
template <class T>
HWY_INLINE Vec Test(Doubles d, Vec high, HWY_MAYBE_UNUSED Vec low, HWY_MAYBE_UNUSED Vec eps) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::Xor(hn::Add(high, hn::Add(low, eps)), hn::Add(high, hn::Sub(low, eps)));
  } else {
    return FromMiddle<T>(d, high);
  }
}

// Tests of a block in one: undecided if one of them is. Not for NaN, of which Min is no judge.
template <class T>
HWY_INLINE Vec NoTest(Doubles d) {
  return hn::Set(d, std::is_same_v<T, double> ? 0.0 : 0x1p1023);
}
template <class T>
HWY_INLINE Vec BothTests(Vec a, Vec b) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::Or(a, b);
  } else {
    return hn::Min(a, b);
  }
}

template <class T>
HWY_INLINE Mask Undecided(HWY_MAYBE_UNUSED Doubles d, Vec tested, HWY_MAYBE_UNUSED Vec eps) {
  if constexpr (std::is_same_v<T, double>) {
    const hn::RebindToSigned<Doubles> di;
    return hn::RebindMask(d, hn::Ne(hn::BitCast(di, tested), hn::Zero(di)));
  } else {
    return hn::Not(hn::Gt(tested, eps));  // NaN is undecided too
  }
}

// v rounded to floats as IEEE 754 has it.
HWY_INLINE hn::Vec<Floats> ToFloats(Doubles d, Vec v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  // DemoteTo of these targets gives the largest float where an infinity is right.
  double from[hn::MaxLanes(Doubles())];
  float to[hn::MaxLanes(Doubles())];
  hn::StoreU(v, d, from);
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) to[lane] = static_cast<float>(from[lane]);
  return hn::LoadU(Floats(), to);
#else
  static_cast<void>(d);
  return hn::DemoteTo(Floats(), v);
#endif
}

// v rounded to T: a float, or 16 bits in a 32-bit lane. Only for v that passed the test, or whose lanes are repaired
// afterwards.
template <class T>
HWY_INLINE auto Narrow(Doubles d, Vec v) {
  const Bits32 dw;
  const Floats df;
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else if constexpr (std::is_same_v<T, float>) {
    return hn::BitCast(dw, ToFloats(d, v));
  } else {
    // Keep 22 fraction bits and set the last, whatever the others were: the float is exact, on the same side of every
    // middle of T as v, and on none. (Highway's conversions to 16 bits truncate or differ between targets and
    // releases.)
    const Bits64 du;
    const auto kept = hn::And(hn::BitCast(du, v), hn::Set(du, ~((std::uint64_t{1} << 30) - 1)));
    const auto odd = hn::BitCast(d, hn::Or(kept, hn::Set(du, std::uint64_t{1} << 29)));
    const auto f = ToFloats(d, odd);
    const auto bits = hn::BitCast(dw, f);
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(dw, 0x8000u));
    const auto size = hn::And(bits, hn::Set(dw, 0x7FFFFFFFu));
    if constexpr (std::is_same_v<T, BFloat16>) {
      const auto rounded = hn::ShiftRight<16>(hn::Add(size, hn::Set(dw, 0x8000u)));
      const auto nan = hn::Gt(size, hn::Set(dw, 0x7F800000u));
      return hn::Or(sign, hn::IfThenElse(nan, hn::Set(dw, 0x7FC0u), rounded));
    } else {
      const auto magnitude = hn::Abs(f);
      // From 2^-14 up: move the exponent bias from 127 to 15 and round. Below: 0.5 has the spacing 2^-24 of the
      // subnormals, so the addition rounds.
      const auto normal = hn::ShiftRight<13>(hn::Sub(hn::Add(size, hn::Set(dw, 0x1000u)), hn::Set(dw, 112u << 23)));
      const auto small = hn::Sub(hn::BitCast(dw, hn::Add(magnitude, hn::Set(df, 0.5f))), hn::Set(dw, 0x3F000000u));
      const auto is_small = hn::Lt(size, hn::Set(dw, 113u << 23));
      const auto infinite =
          hn::IfThenElse(hn::Gt(size, hn::Set(dw, 0x7F800000u)), hn::Set(dw, 0x7E00u), hn::Set(dw, 0x7C00u));
      // 65520 and above round to infinity; a float that was made odd is never 65520 itself.
      const auto is_infinite = hn::Gt(size, hn::Set(dw, 0x477FF000u));
      return hn::Or(sign, hn::IfThenElse(is_infinite, infinite, hn::IfThenElse(is_small, small, normal)));
    }
  }
}

// The exact value of narrow elements, as Narrow returns them.
template <class T, class V>
HWY_INLINE Vec Widen(Doubles d, V bits) {
  const Bits32 dw;
  const Floats df;
  if constexpr (std::is_same_v<T, double>) {
    return bits;
  } else if constexpr (std::is_same_v<T, float>) {
    return hn::PromoteTo(d, hn::BitCast(df, bits));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return hn::PromoteTo(d, hn::BitCast(df, hn::ShiftLeft<16>(bits)));
  } else {
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(dw, 0x8000u)));
    const auto size = hn::ShiftLeft<13>(hn::And(bits, hn::Set(dw, 0x7FFFu)));
    // The product moves the exponent bias from 15 to 127, exactly, for subnormals too.
    const auto finite = hn::BitCast(dw, hn::Mul(hn::BitCast(df, size), hn::Set(df, 0x1p112f)));
    const auto special = hn::Or(size, hn::Set(dw, 0x7F800000u));
    const auto is_special = hn::Gt(size, hn::Set(dw, (0x7C00u << 13) - 1));
    return hn::PromoteTo(d, hn::BitCast(df, hn::Or(sign, hn::IfThenElse(is_special, special, finite))));
  }
}

// The exact value of an element.
inline double ExactValue(float x) { return x; }
inline double ExactValue(double x) { return x; }
inline double ExactValue(BFloat16 x) {
  float value;
  const std::uint32_t bits = std::uint32_t{x.bits} << 16;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline double ExactValue(Half x) {
  const std::uint64_t exponent = x.bits >> 10 & 31u, fraction = x.bits & 1023u;
  std::uint64_t bits = std::uint64_t{x.bits} >> 15 << 63;
  double value;
  if (exponent == 0) {
    value = static_cast<double>(fraction) * 0x1p-24;
    return bits != 0 ? -value : value;
  }
  bits |= (exponent == 31 ? 2047 : exponent - 15 + 1023) << 52 | fraction << 42;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Where the values of frequency k stand in a row; first and second are sine and cosine in the order of the layout.
struct RowPlaces {
  std::size_t first = 0, second = 0, step = 1;
  std::size_t last_sine = 0;  // where the sine of the last frequency stands when it has no cosine
  bool cos_first = false;
};

inline RowPlaces PlacesOf(const FrequencyGrid& grid, const Output& output) {
  RowPlaces places;
  places.cos_first = grid.cos_first;
  if (output.second != nullptr) {
    places.last_sine = grid.shape.sines - 1;
  } else {
    places.first = grid.cos_first ? grid.shape.cos_first : grid.shape.sin_first;
    places.second = grid.cos_first ? grid.shape.sin_first : grid.shape.cos_first;
    places.step = grid.shape.step;
    places.last_sine = grid.shape.LastSine();
  }
  return places;
}

// How whole vectors of the hot loops are stored.
enum class Way { kPairs, kPairsStreamed, kRuns, kRunsStreamed };

// Writes values of frequencies k, k + 1, ... into rows of T.
template <class T>
class Writer {
 public:
  Writer(const FrequencyGrid& grid, const Output& output)
      : grid_(grid), places_(PlacesOf(grid, output)), output_(output) {
    if (output.second == nullptr) {
      output_.second = output.data;
      output_.second_row_bytes = output.row_bytes;
    }
    has_zero_ = output.second == nullptr && grid.shape.zero_last;
  }

  const FrequencyGrid& grid() const { return grid_; }
  const RowPlaces& places() const { return places_; }

  bool adds() const { return output_.x != nullptr; }
  bool is_extreme() const { return IsExtreme(grid_, output_); }
  Way way() const {
    if (places_.step == 2) return output_.stream ? Way::kPairsStreamed : Way::kPairs;
    return output_.stream ? Way::kRunsStreamed : Way::kRuns;
  }

  // A whole vector of each. Streamed: the caller has checked that rows and places are aligned, and flushes.
  template <Way kWay>
  HWY_INLINE void Store(Doubles d, Vec first, Vec second, std::size_t row, std::size_t k) const {
    const auto a = Narrow<T>(d, first);
    const auto b = Narrow<T>(d, second);
    constexpr bool kStream = kWay == Way::kPairsStreamed || kWay == Way::kRunsStreamed;
    if constexpr (kWay == Way::kPairs || kWay == Way::kPairsStreamed) {
      StorePairs<kStream>(d, a, b, Row(row) + 2 * k);
    } else {
      StoreRun<kStream>(a, Row(row) + places_.first + k);
      StoreRun<kStream>(b, SecondRow(row) + places_.second + k);
    }
  }

  // Tests each value, stores what passes and repairs what does not. lanes: how many frequencies count; limits: as in
  // the file's first comment, eps for doubles. kTiny: results may be below T's normal range, and limits relative to the
  // value.
  template <bool kTiny, bool kAdd>
  HWY_INLINE void Decide(Doubles d, Vec first, Vec first_low, Vec second, Vec second_low, Vec first_limit,
                         Vec second_limit, std::size_t row, std::size_t k, std::size_t lanes,
                         const Position& position) const {
    Vec x_first = hn::Zero(d), x_second = hn::Zero(d);
    if constexpr (kAdd) {
      Load(d, row, k, lanes, x_first, x_second);
      AddTo<kTiny>(d, x_first, position.magnitude == 0, first, first_low, first_limit);
      AddTo<kTiny>(d, x_second, position.magnitude == 0, second, second_low, second_limit);
    }
    const Mask first_open = Open<kTiny, kAdd>(d, first, first_low, first_limit);
    const Mask second_open = Open<kTiny, kAdd>(d, second, second_low, second_limit);
    const bool whole = lanes == hn::Lanes(d) && k + lanes <= grid_.shape.cosines;
    if (HWY_LIKELY(whole && hn::AllFalse(d, hn::Or(first_open, second_open)))) {
      if (places_.step == 2) {
        Store<Way::kPairs>(d, first, second, row, k);
      } else {
        Store<Way::kRuns>(d, first, second, row, k);
      }
    } else {
      Finish(d, first, second, first_open, second_open, x_first, x_second, row, k, lanes, position);
    }
  }

  // Quiet NaNs for all sines and cosines.
  void StoreNan(std::size_t row) const {
    T* const rows[2] = {Row(row), SecondRow(row)};
    ForEachPlace(0, grid_.shape.sines,
                 [&](std::size_t, bool is_first, std::size_t place) { rows[is_first ? 0 : 1][place] = QuietNan(); });
  }

  // Whether rows end with an element after their pairs: an odd dim with OddDim::kZero.
  bool has_zero() const { return has_zero_; }
  void StoreZero(std::size_t row) const {
    if (!has_zero_) return;
    T* const to = Row(row) + 2 * grid_.shape.sines;
    if (adds()) {
      const T x = XRow(row)[2 * grid_.shape.sines];
      const Addend addend{output_.x_scale, ExactValue(x)};
      *to = Repair<T>(Turns{}, Position{}, Wave::kSin, 1.0, &addend);
    } else {
      *to = T{};
    }
  }

 private:
  static T QuietNan() {
    if constexpr (std::is_same_v<T, Half>) {
      return Half{0x7E00};
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return BFloat16{0x7FC0};
    } else {
      return std::numeric_limits<T>::quiet_NaN();
    }
  }

  T* Row(std::size_t row) const {
    return reinterpret_cast<T*>(static_cast<char*>(output_.data) +
                                static_cast<std::ptrdiff_t>(row) * output_.row_bytes);
  }
  T* SecondRow(std::size_t row) const {
    return reinterpret_cast<T*>(static_cast<char*>(output_.second) +
                                static_cast<std::ptrdiff_t>(row) * output_.second_row_bytes);
  }
  const T* XRow(std::size_t row) const {
    return reinterpret_cast<const T*>(static_cast<const char*>(output_.x) +
                                      static_cast<std::ptrdiff_t>(row) * output_.x_row_bytes);
  }

  template <bool kStream, class V>
  HWY_INLINE void StorePairs(Doubles d, V a, V b, T* to) const {
    if constexpr (sizeof(T) == 2) {
      const Bits32 dw;
      const auto pairs = hn::Or(a, hn::ShiftLeft<16>(b));
      StoreOrStream<kStream>(pairs, dw, reinterpret_cast<std::uint32_t*>(to));
    } else {
#if POSENC_WHOLE_VECTORS
      if constexpr (sizeof(T) == 4) {
        const hn::Repartition<std::uint32_t, Doubles> dw;
        StoreOrStream<kStream>(InterleaveHalves(dw, hn::Combine(dw, b, a)), dw, reinterpret_cast<std::uint32_t*>(to));
      } else {
        const hn::RebindToUnsigned<Doubles> du;
        const auto low = InterleaveHalves(du, hn::BitCast(du, hn::ConcatLowerLower(d, b, a)));
        const auto high = InterleaveHalves(du, hn::BitCast(du, hn::ConcatUpperUpper(d, b, a)));
        StoreOrStream<kStream>(low, du, reinterpret_cast<std::uint64_t*>(to));
        StoreOrStream<kStream>(high, du, reinterpret_cast<std::uint64_t*>(to) + hn::Lanes(d));
      }
#else
      if constexpr (sizeof(T) == 4) {
        hn::StoreInterleaved2(a, b, Bits32(), reinterpret_cast<std::uint32_t*>(to));
      } else {
        hn::StoreInterleaved2(a, b, d, to);
      }
#endif
    }
  }

#if POSENC_WHOLE_VECTORS
  // a0 a1 .. b0 b1 .. becomes a0 b0 a1 b1 ..: one permutation and one store of a whole vector, where StoreInterleaved2
  // takes more of both.
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V InterleaveHalves(D du, V halves) {
    using I = hwy::MakeSigned<hn::TFromD<D>>;
    constexpr I kHalf = static_cast<I>(hn::MaxLanes(D()) / 2);
    if constexpr (kHalf == 1) {
      return halves;
    } else {
      HWY_ALIGN_MAX static constexpr I kOrder[16] = {0, kHalf,     1, kHalf + 1, 2, kHalf + 2, 3, kHalf + 3,
                                                     4, kHalf + 4, 5, kHalf + 5, 6, kHalf + 6, 7, kHalf + 7};
      return hn::TableLookupLanes(halves, hn::SetTableIndices(du, kOrder));
    }
  }
#endif

  template <bool kStream, class V>
  HWY_INLINE void StoreRun(V v, T* to) const {
    if constexpr (sizeof(T) == 8) {
      StoreOrStream<kStream>(v, Doubles(), to);
    } else if constexpr (sizeof(T) == 4) {
      StoreOrStream<kStream>(v, Bits32(), reinterpret_cast<std::uint32_t*>(to));
    } else {
      const hn::RebindToSigned<Bits32> di;
      StoreOrStream<kStream>(hn::DemoteTo(Bits16(), hn::BitCast(di, v)), Bits16(),
                             reinterpret_cast<std::uint16_t*>(to));
    }
  }

  template <bool kStream, class V, class D>
  static HWY_INLINE void StoreOrStream(V v, D dt, hn::TFromD<D>* HWY_RESTRICT to) {
    if constexpr (kStream) {
      hn::Stream(v, dt, to);
    } else {
      hn::StoreU(v, dt, to);
    }
  }

  // sum = x_scale * x + value, with the limit of the sum; NaN, which no test lets pass, where a part has underflowed:
  // it has lost bits, or the sign that it gives to a sum with 0. is_exact: a value that is 0 is exact.
  template <bool kTiny>
  HWY_INLINE void AddTo(Doubles d, Vec x, bool is_exact, Vec& high, Vec& low, Vec& limit) const {
    const Vec scale = hn::Set(d, output_.x_scale);
    const Vec product = hn::Mul(scale, x);
    if constexpr (kTiny || std::is_same_v<T, double>) {
      const Vec least = hn::Set(d, 0x1p-900);
      Mask lost = hn::And(hn::Lt(hn::Abs(product), least), hn::Ne(x, hn::Zero(d)));
      if (kTiny && !is_exact) lost = hn::Or(lost, hn::Lt(hn::Abs(high), least));
      high = hn::IfThenElse(lost, hn::Set(d, std::numeric_limits<double>::quiet_NaN()), high);
    }
    if constexpr (std::is_same_v<T, double>) {
      const Vec product_low = ProductError(d, scale, x, product);
      Vec sum, error;
      TwoSum(product, high, sum, error);
      const Vec tail = hn::Add(error, hn::Add(product_low, low));
      FastTwoSum(sum, tail, high, low);
      high = hn::IfThenElse(hn::Eq(tail, hn::Zero(d)), sum, high);  // -0 + -0 is -0
      // tail and its two roundings are below 2^-52 of the larger summand, their errors 2^-105 of it.
      limit = hn::MulAdd(hn::Abs(product), hn::Set(d, 0x1p-100), limit);
    } else {
      // Roundings of the product (none where it is fused) and of the sum: u |product| + u |sum|, u = 2^-53.
      high = hn::MulAdd(scale, x, high);
      limit = hn::MulAdd(hn::Abs(product), hn::Set(d, 0x1p-51), hn::Add(limit, limit));
    }
  }

  template <bool kTiny, bool kAdd>
  HWY_INLINE Mask Open(Doubles d, Vec high, Vec low, Vec limit) const {
    Mask open = Undecided<T>(d, Test<T>(d, high, low, limit), limit);
    HWY_MAYBE_UNUSED const Vec size = hn::Abs(high);
    if constexpr (kTiny && !std::is_same_v<T, Half>) {
      open = hn::Or(open, hn::And(hn::Lt(size, hn::Set(d, Precision<T>::kNormal)),
                                  hn::Gt(size, hn::Set(d, Precision<T>::kZero))));
    }
    if constexpr ((kAdd || kTiny) && std::is_same_v<T, double>) {
      // NaN, infinity, and values whose error terms could overflow.
      open = hn::Or(open, hn::Not(hn::Lt(size, hn::Set(d, 0x1p1000))));
    }
    return open;
  }

  // Loads x as exact doubles; lanes beyond what counts are 0.
  HWY_INLINE void Load(Doubles d, std::size_t row, std::size_t k, std::size_t lanes, Vec& first, Vec& second) const {
    const T* const from = XRow(row);
    if (HWY_LIKELY(lanes == hn::Lanes(d) && k + lanes <= grid_.shape.cosines)) {
      if (places_.step == 2) {
        LoadPairs(d, from + 2 * k, first, second);
      } else {
        first = LoadRun(d, from + places_.first + k);
        second = LoadRun(d, from + places_.second + k);
      }
      return;
    }
    HWY_ALIGN_MAX double a[hn::MaxLanes(Doubles())] = {}, b[hn::MaxLanes(Doubles())] = {};
    ForEachPlace(k, lanes, [&](std::size_t lane, bool is_first, std::size_t place) HWY_ATTR {
      (is_first ? a : b)[lane] = ExactValue(from[place]);
    });
    first = hn::Load(d, a);
    second = hn::Load(d, b);
  }

  HWY_INLINE void LoadPairs(Doubles d, const T* from, Vec& first, Vec& second) const {
    if constexpr (sizeof(T) == 2) {
      const Bits32 dw;
      const auto pairs = hn::LoadU(dw, reinterpret_cast<const std::uint32_t*>(from));
      first = Widen<T>(d, hn::And(pairs, hn::Set(dw, 0xFFFFu)));
      second = Widen<T>(d, hn::ShiftRight<16>(pairs));
    } else if constexpr (sizeof(T) == 4) {
      hn::Vec<Floats> a, b;
      hn::LoadInterleaved2(Floats(), from, a, b);
      first = hn::PromoteTo(d, a);
      second = hn::PromoteTo(d, b);
    } else {
      hn::LoadInterleaved2(d, from, first, second);
    }
  }

  HWY_INLINE Vec LoadRun(Doubles d, const T* from) const {
    if constexpr (sizeof(T) == 2) {
      return Widen<T>(d, hn::PromoteTo(Bits32(), hn::LoadU(Bits16(), reinterpret_cast<const std::uint16_t*>(from))));
    } else if constexpr (sizeof(T) == 4) {
      return hn::PromoteTo(d, hn::LoadU(Floats(), from));
    } else {
      return hn::LoadU(d, from);
    }
  }

  // Calls visit(lane, is_first, place in the row) for each element of frequencies k .. k + lanes - 1.
  template <class Visit>
  HWY_INLINE void ForEachPlace(std::size_t k, std::size_t lanes, const Visit& visit) const {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (k + lane < grid_.shape.cosines) {
        visit(lane, true, places_.first + (k + lane) * places_.step);
        visit(lane, false, places_.second + (k + lane) * places_.step);
      } else {
        visit(lane, !places_.cos_first, places_.last_sine);
      }
    }
  }

  // Element by element: rows' ends and what the test left open.
  HWY_NOINLINE void Finish(Doubles d, Vec first, Vec second, Mask first_open, Mask second_open, Vec x_first,
                           Vec x_second, std::size_t row, std::size_t k, std::size_t lanes,
                           const Position& position) const {
    constexpr std::size_t kMax = hn::MaxLanes(Doubles());
    HWY_ALIGN_MAX double x[2][kMax];
    HWY_ALIGN_MAX double open[2][kMax];
    hn::Store(x_first, d, x[0]);
    hn::Store(x_second, d, x[1]);
    hn::Store(hn::IfThenElseZero(first_open, hn::Set(d, 1.0)), d, open[0]);
    hn::Store(hn::IfThenElseZero(second_open, hn::Set(d, 1.0)), d, open[1]);
    T rounded[2][kMax];
    if constexpr (std::is_same_v<T, double>) {
      hn::Store(first, d, rounded[0]);
      hn::Store(second, d, rounded[1]);
    } else {
      NarrowTo(d, first, rounded[0]);
      NarrowTo(d, second, rounded[1]);
    }
    T* const rows[2] = {Row(row), SecondRow(row)};
    ForEachPlace(k, lanes, [&](std::size_t lane, bool is_first, std::size_t place) HWY_ATTR {
      const int which = is_first ? 0 : 1;
      T result = rounded[which][lane];
      if (open[which][lane] != 0.0) {
        const Addend addend{output_.x_scale, x[which][lane]};
        const Wave wave = is_first == places_.cos_first ? Wave::kCos : Wave::kSin;
        result = Repair<T>(grid_.turns[k + lane], position, wave, grid_.amplitude, adds() ? &addend : nullptr);
      }
      rows[which][place] = result;
    });
  }

  static HWY_INLINE void NarrowTo(Doubles d, Vec v, T* to) {
    const Bits32 dw;
    HWY_ALIGN_MAX std::uint32_t bits[hn::MaxLanes(Doubles())];
    hn::Store(Narrow<T>(d, v), dw, bits);
    for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
      if constexpr (sizeof(T) == 4) {
        std::memcpy(&to[lane], &bits[lane], sizeof(T));
      } else {
        to[lane].bits = static_cast<std::uint16_t>(bits[lane]);
      }
    }
  }

  const FrequencyGrid& grid_;
  const RowPlaces places_;
  Output output_;
  bool has_zero_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_STORE_INL_H_TOGGLE
