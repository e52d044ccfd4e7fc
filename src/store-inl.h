// Room store: vectors of values in double lanes go in, correctly rounded elements of the output type leave to the
// caller's memory, in the caller's layout. Per target; the only writer.

#if defined(POSENC_SRC_STORE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_STORE_INL_H_TOGGLE
#undef POSENC_SRC_STORE_INL_H_TOGGLE
#else
#define POSENC_SRC_STORE_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/grid.h"
#include "src/lanes-inl.h"
#include "src/output_rows-inl.h"
#include "src/repair.h"
#include "src/rounding-inl.h"
#include "src/store.h"
#include "src/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Writes values of frequencies k, k + 1, ... into rows of T.
template <class T>
class Writer {
 public:
  explicit Writer(const OutputRows& rows) : rows_(rows), grid_(rows.grid()) {}

  HWY_INLINE Start<T> Places(std::size_t row, std::size_t k) const {
    return rows_.PlacesFrom<T>(row, k).At(rows_.in_runs(), 0, 0);
  }
  HWY_INLINE Start<const T> XPlaces(std::size_t row, std::size_t k) const {
    return rows_.XPlacesFrom<T>(row, k).At(rows_.in_runs(), 0, 0);
  }

  // once: it is not to displace what the caches hold, and read 1.2 times as fast where the output is streamed.
  template <class InRuns>
  static HWY_INLINE void Prefetch(InRuns in_runs, const Start<const T>& x, std::size_t k, bool once) {
    const T* const first = x.first + (in_runs ? k : 2 * k);
    once ? __builtin_prefetch(first, 0, 0) : hwy::Prefetch(first);
    if (in_runs) once ? __builtin_prefetch(x.second + k, 0, 0) : hwy::Prefetch(x.second + k);
  }

  // A whole vector of each, k frequencies from the start. in_runs: the layout, a std::bool_constant where it is known
  // when compiled. stream: the caller has checked that rows and places are aligned, and flushes.
  template <class InRuns>
  static HWY_INLINE void Store(InRuns in_runs, Doubles d, Vec first, Vec second, const Start<T>& row, std::size_t k,
                               bool stream) {
#if POSENC_WHOLE_VECTORS
    if constexpr (sizeof(T) == 2) {
      return StoreJoined(in_runs, JoinFloats(in_runs, d, MakeOdd(d, first), MakeOdd(d, second)), row, k, stream);
    }
#endif
    const auto a = Narrow<T>(d, first);
    const auto b = Narrow<T>(d, second);
    if (in_runs) {
      StoreRun(a, row.first + k, stream);
      StoreRun(b, row.second + k, stream);
    } else {
      StorePairs(d, a, b, row.first + 2 * k, stream);
    }
  }

#if POSENC_WHOLE_VECTORS
  // The same of joined floats, on no middle of T.
  template <class InRuns>
  static HWY_INLINE void StoreJoined(InRuns in_runs, SingleVec f, const Start<T>& row, std::size_t k, bool stream) {
    const hn::Rebind<Bits, Singles> db;
    const hn::Half<decltype(db)> dh;
    const auto bits = ToBits(f);
    if (in_runs) {
      StoreOrStream(hn::LowerHalf(dh, bits), dh, reinterpret_cast<Bits*>(row.first + k), stream);
      StoreOrStream(hn::UpperHalf(dh, bits), dh, reinterpret_cast<Bits*>(row.second + k), stream);
    } else {
      StoreOrStream(bits, db, reinterpret_cast<Bits*>(row.first + 2 * k), stream);
    }
  }

  // A vector of floats of each, on no middle of T; interleaved only for BFloat16.
  template <class InRuns>
  static HWY_INLINE void StoreFloats(InRuns in_runs, SingleVec first, SingleVec second, const Start<T>& row,
                                     std::size_t k, bool stream) {
    if (in_runs) {
      const hn::Rebind<Bits, Singles> db;
      StoreOrStream(ToBits(first), db, reinterpret_cast<Bits*>(row.first + k), stream);
      StoreOrStream(ToBits(second), db, reinterpret_cast<Bits*>(row.second + k), stream);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      const SingleBits dw;
      StoreOrStream(ToBFloat16Pairs(first, second), dw, reinterpret_cast<std::uint32_t*>(row.first + 2 * k), stream);
    }
  }
#endif

  // The first lanes of each.
  static HWY_INLINE void StorePart(Doubles d, Vec first, Vec second, const Start<T>& row, std::size_t lanes) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // Other targets write the bytes behind too: as they were, but for a race.
    if constexpr (std::is_same_v<T, float>) {
      const Bits32 dh;
      const SingleBits dw;
      const auto a = Narrow<T>(d, first), b = Narrow<T>(d, second);
      auto* const to = reinterpret_cast<std::uint32_t*>(row.first);
      if (row.second == nullptr) return hn::BlendedStore(Interleave(dw, a, b), hn::FirstN(dw, 2 * lanes), dw, to);
      hn::BlendedStore(a, hn::FirstN(dh, lanes), dh, to);
      return hn::BlendedStore(b, hn::FirstN(dh, lanes), dh, reinterpret_cast<std::uint32_t*>(row.second));
    }
#endif
    CopyPart(d, first, second, row, lanes);
  }
  static HWY_NOINLINE void CopyPart(Doubles d, Vec first, Vec second, const Start<T>& row, std::size_t lanes) {
    HWY_ALIGN_MAX T buffer[2][2 * hn::MaxLanes(Doubles())];
    if (row.second == nullptr) {
      Store(std::false_type(), d, first, second, {buffer[0], nullptr}, 0, false);
      std::memcpy(row.first, buffer[0], 2 * lanes * sizeof(T));
    } else {
      Store(std::true_type(), d, first, second, {buffer[0], buffer[1]}, 0, false);
      std::memcpy(row.first, buffer[0], lanes * sizeof(T));
      std::memcpy(row.second, buffer[1], lanes * sizeof(T));
    }
  }

  // Tests each value of a row from frequency k0 + from to below k0 + count on, stores what passes and repairs what does
  // not. Waves have the values from k0 on. has_small: limits are theirs, and results may be below T's normal range.
  HWY_NOINLINE void DecideRow(const RowWaves& waves, std::size_t k0, std::size_t from, std::size_t count,
                              std::size_t row, const Position& position, bool has_small) const {
    const Doubles d;
    const bool add = rows_.adds();
    const Vec eps = hn::Set(d, kEps<T> * grid_.eps_scale);
    for (std::size_t at = from; at < count; at += hn::Lanes(d)) {
      const std::size_t k = k0 + at, lanes = std::min(hn::Lanes(d), count - at);
      const bool whole = lanes == hn::Lanes(d) && k + lanes <= grid_.shape.cosines;
      Vec first = hn::Load(d, waves.first + at), second = hn::Load(d, waves.second + at);
      Vec first_low = hn::Zero(d), second_low = first_low, first_limit = eps, second_limit = eps;
      if constexpr (std::is_same_v<T, double>) {
        first_low = hn::Load(d, waves.first_low + at);
        second_low = hn::Load(d, waves.second_low + at);
      }
      if (has_small) {
        first_limit = hn::Load(d, waves.first_limit + at);
        second_limit = hn::Load(d, waves.second_limit + at);
      }
      Vec x_first = hn::Zero(d), x_second = x_first;
      if (add) {
        if (HWY_LIKELY(whole)) {
          LoadAny(d, XPlaces(row, k), 0, x_first, x_second);
        } else {
          LoadPart(d, row, k, lanes, x_first, x_second);
        }
        const Vec scale = x_scale(d);
        AddTo(d, scale, x_first, position.magnitude == 0, has_small, first, first_low, first_limit);
        AddTo(d, scale, x_second, position.magnitude == 0, has_small, second, second_low, second_limit);
      }
      const Mask first_open = Open(d, first, first_low, first_limit, has_small, add);
      const Mask second_open = Open(d, second, second_low, second_limit, has_small, add);
      if (HWY_UNLIKELY(k + lanes > grid_.shape.cosines || !hn::AllFalse(d, hn::Or(first_open, second_open)))) {
        Finish(d, first, second, first_open, second_open, x_first, x_second, row, k, lanes, position);
      } else if (HWY_UNLIKELY(!whole)) {
        StorePart(d, first, second, Places(row, k), lanes);
      } else {
        StoreAny(d, first, second, Places(row, k), 0);
      }
    }
  }

  // Stores the whole vectors of a row, without small angles, as DecideRow has it, then tests them. Returns what is
  // left: the first frequency, from itself where something is open.
  HWY_NOINLINE std::size_t StoreWhole(const RowWaves& waves, std::size_t k0, std::size_t from, std::size_t count,
                                      std::size_t row) const {
    const Doubles d;
    const std::size_t cosines = grid_.shape.cosines - std::min(grid_.shape.cosines, k0);
    const std::size_t whole = from + (std::min(count, cosines) - std::min(from, cosines)) / hn::Lanes(d) * hn::Lanes(d);
    const Vec eps = hn::Set(d, kEps<T> * grid_.eps_scale);
    Vec tested_first = NoTest<T>(d), tested_second = tested_first;
    const bool in_runs = rows_.in_runs(), streams = rows_.streams();
    const Start<T> places = Places(row, k0);
    for (std::size_t k = from; k < whole; k += hn::Lanes(d)) {
      const Vec first = hn::Load(d, waves.first + k), second = hn::Load(d, waves.second + k);
      tested_first = AddTest<T>(d, tested_first, first, first, eps);
      tested_second = AddTest<T>(d, tested_second, second, second, eps);
      Store(in_runs, d, first, second, places, k, streams);
    }
    const Mask open = hn::Or(Undecided<T>(d, tested_first, eps), Undecided<T>(d, tested_second, eps));
    if (HWY_LIKELY(hn::AllFalse(d, open))) return whole;
    rows_.Flush();  // what is repaired comes after what was streamed
    return from;
  }

  // The functions above where the layout is told at run time.
  HWY_INLINE void StoreAny(Doubles d, Vec first, Vec second, const Start<T>& row, std::size_t k) const {
    Store(rows_.in_runs(), d, first, second, row, k, rows_.streams());
  }
  HWY_INLINE void LoadAny(Doubles d, const Start<const T>& x, std::size_t k, Vec& first, Vec& second) const {
    Load(rows_.in_runs(), d, x, k, first, second);
  }

  // Loads x as exact doubles, k frequencies from the start.
  template <class InRuns>
  static HWY_INLINE void Load(InRuns in_runs, Doubles d, const Start<const T>& x, std::size_t k, Vec& first,
                              Vec& second) {
    if (in_runs) {
      first = LoadRun(d, x.first + k);
      second = LoadRun(d, x.second + k);
    } else {
      LoadPairs(d, x.first + 2 * k, first, second);
    }
  }

  // sum = x_scale * x + value, with the limit of the sum; NaN, which no test lets pass, where a part has underflowed:
  // it has lost bits, or the sign that it gives to a sum with 0. is_exact: a value that is 0 is exact.
  HWY_INLINE Vec x_scale(Doubles d) const { return hn::Set(d, rows_.x_scale()); }
  static HWY_INLINE void AddTo(Doubles d, Vec scale, Vec x, bool is_exact, bool tiny, Vec& high, Vec& low, Vec& limit) {
    HWY_MAYBE_UNUSED const Vec product = hn::Mul(scale, x);
    if (tiny || std::is_same_v<T, double>) {
      const Vec least = hn::Set(d, 0x1p-900);
      Mask lost = hn::And(hn::Lt(hn::Abs(product), least), hn::Ne(x, hn::Zero(d)));
      if (tiny && !is_exact) lost = hn::Or(lost, hn::Lt(hn::Abs(high), least));
      high = hn::IfThenElse(lost, hn::Set(d, std::numeric_limits<double>::quiet_NaN()), high);
    }
    if constexpr (std::is_same_v<T, double>) {
      const Vec product_low = ProductError(d, scale, x, product);
      Vec sum, error;
      TwoSum(product, high, sum, error);
      const Vec tail = hn::Add(error, hn::Add(product_low, low));
      FastTwoSum(sum, tail, high, low);
      high = hn::IfThenElse(hn::Eq(tail, hn::Zero(d)), sum, high);  // -0 + -0 is -0
      // tail is below 2^-51 of the larger summand, and the errors of the roundings in it are below 2^-103 of it.
      limit = hn::MulAdd(hn::Abs(product), hn::Set(d, 0x1p-100), limit);
    } else {
      // Roundings of the product (none where it is fused) and of the sum, u = 2^-53: u |product| + u |sum|, at most
      // 2 u |sum| + u |value|. Values are below limit / 8 u. Twice that, for the reason in rounding-inl.h.
      high = hn::MulAdd(scale, x, high);
      limit = hn::MulAdd(hn::Abs(high), hn::Set(d, 0x1p-51), hn::Mul(limit, hn::Set(d, 4.0)));
    }
  }

  // Quiet NaNs for all sines and cosines.
  void StoreNan(std::size_t row) const {
    T* const rows[2] = {Row(row), SecondRow(row)};
    ForEachPlace(0, grid_.shape.sines,
                 [&](std::size_t, bool is_first, std::size_t place) { rows[is_first ? 0 : 1][place] = QuietNan(); });
  }

  // The element after the pairs, if there is one.
  void StoreZero(std::size_t row) const {
    if (!rows_.has_zero()) return;
    T* const to = Row(row) + 2 * grid_.shape.sines;
    if (rows_.adds()) {
      const T x = XRow(row)[2 * grid_.shape.sines];
      const Addend addend{rows_.x_scale(), ExactValue(x)};
      *to = Repair<T>(Turns{}, Position{}, Wave::kSin, 1.0, &addend);
    } else {
      *to = T{};
    }
  }

 private:
#if POSENC_WHOLE_VECTORS
  // Elements as they are stored, of floats that are on no middle of T.
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  static HWY_INLINE auto ToBits(SingleVec f) {
    if constexpr (sizeof(T) == 2) {
      return ToWords<T>(f);
    } else {
      return hn::BitCast(SingleBits(), f);
    }
  }
#endif

  static T QuietNan() {
    if constexpr (std::is_same_v<T, Half>) {
      return Half{0x7E00};
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return BFloat16{0x7FC0};
    } else {
      return std::numeric_limits<T>::quiet_NaN();
    }
  }

  T* Row(std::size_t row) const { return static_cast<T*>(rows_.Row(row)); }
  T* SecondRow(std::size_t row) const { return static_cast<T*>(rows_.SecondRow(row)); }
  const T* XRow(std::size_t row) const { return reinterpret_cast<const T*>(rows_.XRow(row)); }

  template <class V>
  static HWY_INLINE void StorePairs(Doubles d, V a, V b, T* to, HWY_MAYBE_UNUSED bool stream) {
    if constexpr (sizeof(T) == 2) {
      const Bits32 dw;
      const auto pairs = hn::Or(a, hn::ShiftLeft<16>(b));
      StoreOrStream(pairs, dw, reinterpret_cast<std::uint32_t*>(to), stream);
    } else {
#if POSENC_WHOLE_VECTORS
      if constexpr (sizeof(T) == 4) {
        const hn::Repartition<std::uint32_t, Doubles> dw;
        StoreOrStream(Interleave(dw, a, b), dw, reinterpret_cast<std::uint32_t*>(to), stream);
      } else {
        const hn::RebindToUnsigned<Doubles> du;
        const auto low = InterleaveHalves(du, hn::BitCast(du, hn::ConcatLowerLower(d, b, a)));
        const auto high = InterleaveHalves(du, hn::BitCast(du, hn::ConcatUpperUpper(d, b, a)));
        StoreOrStream(low, du, reinterpret_cast<std::uint64_t*>(to), stream);
        StoreOrStream(high, du, reinterpret_cast<std::uint64_t*>(to) + hn::Lanes(d), stream);
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

  template <class V>
  static HWY_INLINE void StoreRun(V v, T* to, bool stream) {
    if constexpr (sizeof(T) == 8) {
      StoreOrStream(v, Doubles(), to, stream);
    } else if constexpr (sizeof(T) == 4) {
      StoreOrStream(v, Bits32(), reinterpret_cast<std::uint32_t*>(to), stream);
    } else {
      const hn::RebindToSigned<Bits32> di;
      StoreOrStream(hn::DemoteTo(Bits16(), hn::BitCast(di, v)), Bits16(), reinterpret_cast<std::uint16_t*>(to), stream);
    }
  }

  template <class V, class D>
  static HWY_INLINE void StoreOrStream(V v, D dt, hn::TFromD<D>* HWY_RESTRICT to, HWY_MAYBE_UNUSED bool stream) {
    // Highway streams at least 16 bytes, whatever the vector has.
    if constexpr (POSENC_WHOLE_VECTORS && hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) >= 16) {
      if (stream) return hn::Stream(v, dt, to);
    }
    hn::StoreU(v, dt, to);
  }

  HWY_INLINE Mask Open(Doubles d, Vec high, Vec low, Vec limit, bool tiny, bool add) const {
    Mask open = Undecided<T>(d, Test<T>(d, high, low, limit), limit);
    const Vec size = hn::Abs(high);
    if (tiny && !std::is_same_v<T, Half>) {
      open = hn::Or(open, hn::And(hn::Lt(size, hn::Set(d, Precision<T>::kNormal)),
                                  hn::Gt(size, hn::Set(d, Precision<T>::kZero))));
    }
    if ((add || tiny) && std::is_same_v<T, double>) {
      // NaN, infinity, and values whose error terms could overflow.
      open = hn::Or(open, hn::Not(hn::Lt(size, hn::Set(d, 0x1p1000))));
    }
    return open;
  }

  // As Load, of a part of a vector: lanes beyond what counts are 0.
  HWY_NOINLINE void LoadPart(Doubles d, std::size_t row, std::size_t k, std::size_t lanes, Vec& first,
                             Vec& second) const {
    const T* const from = XRow(row);
    HWY_ALIGN_MAX double x[2][hn::MaxLanes(Doubles())] = {};
    ForEachPlace(k, lanes, [&](std::size_t lane, bool is_first, std::size_t place) HWY_ATTR {
      x[is_first ? 0 : 1][lane] = ExactValue(from[place]);
    });
    first = hn::Load(d, x[0]);
    second = hn::Load(d, x[1]);
  }

  static HWY_INLINE void LoadPairs(Doubles d, const T* from, Vec& first, Vec& second) {
    if constexpr (sizeof(T) == 2) {
      const Bits32 dw;
      const auto pairs = hn::LoadU(dw, reinterpret_cast<const std::uint32_t*>(from));
      first = Widen<T>(d, hn::And(pairs, hn::Set(dw, 0xFFFFu)));
      second = Widen<T>(d, hn::ShiftRight<16>(pairs));
    } else if constexpr (sizeof(T) == 4) {
      hn::Vec<Floats> a, b;
#if POSENC_AVX512
      HWY_ALIGN_MAX static constexpr std::int32_t kOrder[16] = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
      const hn::Repartition<float, Doubles> df;
      const auto halves = hn::TableLookupLanes(hn::LoadU(df, from), hn::SetTableIndices(df, kOrder));
      a = hn::LowerHalf(halves);
      b = hn::UpperHalf(Floats(), halves);
#else
      hn::LoadInterleaved2(Floats(), from, a, b);
#endif
      first = hn::PromoteTo(d, a);
      second = hn::PromoteTo(d, b);
    } else {
      hn::LoadInterleaved2(d, from, first, second);
    }
  }

  static HWY_INLINE Vec LoadRun(Doubles d, const T* from) {
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
    const RowPlaces& places = rows_.places();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (k + lane < grid_.shape.cosines) {
        visit(lane, true, places.first + (k + lane) * places.step);
        visit(lane, false, places.second + (k + lane) * places.step);
      } else {
        visit(lane, !places.cos_first, places.last_sine);
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
    HWY_ALIGN_MAX T rounded[2][kMax];
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
        const Addend addend{rows_.x_scale(), x[which][lane]};
        const Wave wave = is_first == grid_.cos_first ? Wave::kCos : Wave::kSin;
        result = Repair<T>(grid_.turns[k + lane], position, wave, grid_.amplitude, rows_.adds() ? &addend : nullptr);
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

  const OutputRows& rows_;
  const FrequencyGrid& grid_;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_STORE_INL_H_TOGGLE
