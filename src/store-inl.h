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
#include "src/repair.h"
#include "src/rounding-inl.h"
#include "src/store.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
#if !POSENC_WHOLE_VECTORS
    return places_.step == 2 ? Way::kPairs : Way::kRuns;
#endif
    if (places_.step == 2) return output_.stream ? Way::kPairsStreamed : Way::kPairs;
    return output_.stream ? Way::kRunsStreamed : Way::kRuns;
  }

  // Where the values of frequencies from k on stand in one row.
  struct RowStart {
    T* first;
    T* second;
  };
  HWY_INLINE RowStart Places(std::size_t row, std::size_t k) const {
    if (places_.step == 2) return {Row(row) + 2 * k, nullptr};
    return {Row(row) + places_.first + k, SecondRow(row) + places_.second + k};
  }

  // The same of x; next is the x to be read after it.
  struct XStart {
    const T* first;
    const T* second;
  };
  struct AddStart {
    RowStart to;
    XStart x;
    XStart next;
  };
  HWY_INLINE AddStart AddPlaces(std::size_t row, std::size_t next, std::size_t k) const {
    return {Places(row, k), XPlaces(row, k), XPlaces(next, k)};
  }
  HWY_INLINE XStart XPlaces(std::size_t row, std::size_t k) const {
    // An integer: the next row may be one beyond the last.
    const std::uintptr_t x = reinterpret_cast<std::uintptr_t>(output_.x) +
                             static_cast<std::uintptr_t>(static_cast<std::ptrdiff_t>(row) * output_.x_row_bytes);
    if (places_.step == 2) return {reinterpret_cast<const T*>(x + 2 * k * sizeof(T)), nullptr};
    return {reinterpret_cast<const T*>(x + (places_.first + k) * sizeof(T)),
            reinterpret_cast<const T*>(x + (places_.second + k) * sizeof(T))};
  }
  HWY_INLINE void Prefetch(const XStart& x, std::size_t k) const {
    hwy::Prefetch(x.first + places_.step * k);
    if (x.second != nullptr) hwy::Prefetch(x.second + k);
  }

  // Whether rows are better written one after the other than by groups of frequencies.
  bool by_rows() const { return output_.by_rows; }

  // Whether values go to a buffer first, laid out as span frequencies of a row are, and from there past the caches.
  bool bounces() const { return POSENC_WHOLE_VECTORS && output_.bounce; }
  HWY_INLINE RowStart PlacesIn(T* buffer, std::size_t k, std::size_t span) const {
    if (places_.step == 2) return {buffer + 2 * k, nullptr};
    return {buffer + k, buffer + span + k};
  }
  // Moves count frequencies from k on, which the buffer has from frequency from on.
  void CopyOut(std::size_t row, std::size_t k, std::size_t count, T* buffer, std::size_t from, std::size_t span) const {
    const RowStart to = Places(row, k), made = PlacesIn(buffer, from, span);
    StreamRun(to.first, made.first, to.second == nullptr ? 2 * count : count);
    if (to.second != nullptr) StreamRun(to.second, made.second, count);
  }

  // Whether what is written is x itself.
  bool in_place() const { return output_.x == output_.data; }

  // Copies the x of count frequencies from k on, all with a cosine; and back.
  void CopyX(std::size_t row, std::size_t k, std::size_t count, T* to) const {
    const XStart x = XPlaces(row, k);
    const std::size_t run = x.second == nullptr ? 2 * count : count;
    std::memcpy(to, x.first, run * sizeof(T));
    if (x.second != nullptr) std::memcpy(to + count, x.second, run * sizeof(T));
  }
  // kept: what CopyX gave for the frequencies from .. below to.
  void RestoreX(std::size_t row, std::size_t k, std::size_t count, const T* kept, std::size_t from,
                std::size_t to) const {
    const RowStart x = Places(row, k);
    if (x.second == nullptr) {
      std::memcpy(x.first, kept + 2 * (k - from), 2 * count * sizeof(T));
    } else {
      std::memcpy(x.first, kept + (k - from), count * sizeof(T));
      std::memcpy(x.second, kept + (to - from) + (k - from), count * sizeof(T));
    }
  }

  // A whole vector of each, k frequencies from the start. Streamed: the caller has checked that rows and places are
  // aligned, and flushes.
  template <Way kWay>
  static HWY_INLINE void Store(Doubles d, Vec first, Vec second, const RowStart& row, std::size_t k) {
    const auto a = Narrow<T>(d, first);
    const auto b = Narrow<T>(d, second);
    constexpr bool kStream = kWay == Way::kPairsStreamed || kWay == Way::kRunsStreamed;
    if constexpr (kWay == Way::kPairs || kWay == Way::kPairsStreamed) {
      StorePairs<kStream>(d, a, b, row.first + 2 * k);
    } else {
      StoreRun<kStream>(a, row.first + k);
      StoreRun<kStream>(b, row.second + k);
    }
  }

  // Store as the output is.
  HWY_INLINE void StoreAny(Doubles d, Vec first, Vec second, const RowStart& row, std::size_t k) const {
    switch (way()) {
      case Way::kPairs:
        return Store<Way::kPairs>(d, first, second, row, k);
      case Way::kPairsStreamed:
        return Store<Way::kPairsStreamed>(d, first, second, row, k);
      case Way::kRuns:
        return Store<Way::kRuns>(d, first, second, row, k);
      case Way::kRunsStreamed:
        return Store<Way::kRunsStreamed>(d, first, second, row, k);
    }
  }

  // Tests each value, stores what passes and repairs what does not. lanes: how many frequencies count; limits: as in
  // rounding-inl.h, eps for doubles. tiny: results may be below T's normal range, and limits relative to the value.
  // add: whether the output adds.
  HWY_INLINE void Decide(Doubles d, Vec first, Vec first_low, Vec second, Vec second_low, Vec first_limit,
                         Vec second_limit, std::size_t row, std::size_t k, std::size_t lanes, const Position& position,
                         bool tiny, bool add) const {
    const bool whole = lanes == hn::Lanes(d) && k + lanes <= grid_.shape.cosines;
    Vec x_first = hn::Zero(d), x_second = hn::Zero(d);
    if (add) {
      if (HWY_LIKELY(whole)) {
        Load(d, XPlaces(row, k), 0, x_first, x_second);
      } else {
        LoadPart(d, row, k, lanes, x_first, x_second);
      }
      AddTo(d, x_first, position.magnitude == 0, tiny, first, first_low, first_limit);
      AddTo(d, x_second, position.magnitude == 0, tiny, second, second_low, second_limit);
    }
    const Mask first_open = Open(d, first, first_low, first_limit, tiny, add);
    const Mask second_open = Open(d, second, second_low, second_limit, tiny, add);
    if (HWY_UNLIKELY(k + lanes > grid_.shape.cosines || !hn::AllFalse(d, hn::Or(first_open, second_open)))) {
      Finish(d, first, second, first_open, second_open, x_first, x_second, row, k, lanes, position);
      return;
    }
    if (HWY_UNLIKELY(!whole)) return StorePart(d, first, second, Places(row, k), lanes);
    StoreAny(d, first, second, Places(row, k), 0);
  }

  // As Decide, out of line and for any output.
  HWY_NOINLINE void DecideAny(Doubles d, Vec first, Vec first_low, Vec second, Vec second_low, Vec first_limit,
                              Vec second_limit, std::size_t row, std::size_t k, std::size_t lanes,
                              const Position& position, bool tiny) const {
    Decide(d, first, first_low, second, second_low, first_limit, second_limit, row, k, lanes, position, tiny, adds());
  }

  // Loads x as exact doubles, k frequencies from the start.
  HWY_INLINE void Load(Doubles d, const XStart& x, std::size_t k, Vec& first, Vec& second) const {
    if (places_.step == 2) {
      LoadPairs(d, x.first + 2 * k, first, second);
    } else {
      first = LoadRun(d, x.first + k);
      second = LoadRun(d, x.second + k);
    }
  }

  // sum = x_scale * x + value, with the limit of the sum; NaN, which no test lets pass, where a part has underflowed:
  // it has lost bits, or the sign that it gives to a sum with 0. is_exact: a value that is 0 is exact.
  HWY_INLINE void AddTo(Doubles d, Vec x, bool is_exact, bool tiny, Vec& high, Vec& low, Vec& limit) const {
    const Vec scale = hn::Set(d, output_.x_scale);
    const Vec product = hn::Mul(scale, x);
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
      // tail and its two roundings are below 2^-52 of the larger summand, their errors 2^-105 of it.
      limit = hn::MulAdd(hn::Abs(product), hn::Set(d, 0x1p-100), limit);
    } else {
      // Roundings of the product (none where it is fused) and of the sum: u |product| + u |sum|, u = 2^-53.
      high = hn::MulAdd(scale, x, high);
      limit = hn::MulAdd(hn::Abs(product), hn::Set(d, 0x1p-51), hn::Add(limit, limit));
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
  // Copies past the caches, but for the lines at both ends that are not whole.
  static HWY_NOINLINE void StreamRun(T* to, const T* from, std::size_t count) {
    const hn::ScalableTag<std::uint8_t> bytes;
    constexpr std::size_t kLine = 64;
    std::uint8_t* target = reinterpret_cast<std::uint8_t*>(to);
    const std::uint8_t* source = reinterpret_cast<const std::uint8_t*>(from);
    std::size_t left = count * sizeof(T);
    const std::size_t head = std::min(left, (0 - reinterpret_cast<std::uintptr_t>(to)) % kLine);
    std::memcpy(target, source, head);
    target += head;
    source += head;
    left -= head;
    for (; left >= kLine; left -= kLine) {
      for (std::size_t i = 0; i < kLine; i += hn::Lanes(bytes)) {
        StoreOrStream<true>(hn::LoadU(bytes, source + i), bytes, target + i);
      }
      target += kLine;
      source += kLine;
    }
    std::memcpy(target, source, left);
  }

  // The first lanes of each.
  HWY_NOINLINE void StorePart(Doubles d, Vec first, Vec second, const RowStart& row, std::size_t lanes) const {
    HWY_ALIGN_MAX T buffer[2][2 * hn::MaxLanes(Doubles())];
    if (row.second == nullptr) {
      Store<Way::kPairs>(d, first, second, {buffer[0], nullptr}, 0);
      std::memcpy(row.first, buffer[0], 2 * lanes * sizeof(T));
    } else {
      Store<Way::kRuns>(d, first, second, {buffer[0], buffer[1]}, 0);
      std::memcpy(row.first, buffer[0], lanes * sizeof(T));
      std::memcpy(row.second, buffer[1], lanes * sizeof(T));
    }
  }

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
  static HWY_INLINE void StorePairs(Doubles d, V a, V b, T* to) {
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
  static HWY_INLINE void StoreRun(V v, T* to) {
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
    // Highway streams at least 16 bytes, whatever the vector has.
    if constexpr (kStream && hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) >= 16) {
      hn::Stream(v, dt, to);
    } else {
      hn::StoreU(v, dt, to);
    }
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
