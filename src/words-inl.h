// Room store: vectors of values in double lanes go in, vectors of 16-bit elements come out in the order of memory, with
// a test of their rounding; per target. Only where whole vectors can be permuted.
//
// The test. f is the float nearest to a value v, which the exact value y is within eps of. The middles of the cells of
// T, where rounding to T changes, are floats. If f is none of them, then v is on the same side of each as f, and at
// least half a unit of float from it: y is on that side too where half a unit is above eps. So f rounds to what y
// rounds to, and an element in 2^13 (Half) or 2^16 (BFloat16) is left open, for a third of the operations that the
// distance to the middle takes in double lanes. A float that is made odd instead (MakeOdd) is never open.

#if defined(POSENC_SRC_WORDS_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_WORDS_INL_H_TOGGLE
#undef POSENC_SRC_WORDS_INL_H_TOGGLE
#else
#define POSENC_SRC_WORDS_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "posenc/posenc.h"
#include "src/lanes-inl.h"
#include "src/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if POSENC_WHOLE_VECTORS

using Words = hn::Rebind<std::uint16_t, Singles>;

// The floats nearest to both, interleaved or one after the other.
template <class InRuns>
HWY_INLINE hn::Vec<Singles> JoinFloats(InRuns in_runs, Doubles d, Vec first, Vec second) {
  const SingleBits dw;
  const auto a = hn::BitCast(Bits32(), ToFloats(d, first));
  const auto b = hn::BitCast(Bits32(), ToFloats(d, second));
  return hn::BitCast(Singles(), in_runs ? hn::Combine(dw, b, a) : Interleave(dw, a, b));
}

// The test. Half: of normal results only; of subnormal ones the middles are nearer to each other.
template <class T>
class WordTest {
 public:
  static_assert(sizeof(T) == 2);

  // eps: a power of two, the errors of values are below it.
  explicit WordTest(double eps)
      : least_open_(
            static_cast<float>(std::max(eps * 0x1p26, std::is_same_v<T, Half> ? Precision<Half>::kNormal : 0.0))) {}

  // 0 for floats next to the middle of a cell.
  static HWY_INLINE hn::Vec<SingleBits> Away(SingleVec f) {
    const SingleBits dw;
    constexpr std::uint32_t kLow = std::is_same_v<T, Half> ? 0x1FFFu : 0xFFFFu;
    return hn::Xor(hn::And(hn::BitCast(dw, f), hn::Set(dw, kLow)), hn::Set(dw, (kLow + 1) / 2));
  }

  // Whether the rounding of floats is certain, of which these are the least Away and the least size.
  HWY_INLINE bool Decided(hn::Vec<SingleBits> away, SingleVec least) const {
    const SingleBits dw;
    const Singles df;
    // Half a unit of smaller floats is not above eps.
    const auto large = hn::Ge(least, hn::Set(df, least_open_));
    return hn::AllTrue(df, hn::And(large, hn::RebindMask(df, hn::Ne(away, hn::Zero(dw)))));
  }
  HWY_INLINE bool BothDecided(SingleVec a, SingleVec b) const {
    return Decided(hn::Min(Away(a), Away(b)), SmallerSize(hn::Abs(a), b));
  }

 private:
  float least_open_;
};

// Floats that are on no middle, rounded to T.
template <class T>
HWY_INLINE hn::Vec<Words> ToWords(hn::Vec<Singles> f) {
  const SingleBits dw;
  const hn::RebindToSigned<SingleBits> di;
#if HWY_TARGET <= HWY_AVX2
  if constexpr (std::is_same_v<T, Half>) {
    return hn::BitCast(Words(), hn::DemoteTo(hn::Rebind<hwy::float16_t, Singles>(), f));
  }
#endif
  return hn::DemoteTo(Words(), hn::BitCast(di, RoundBits<T>(dw, hn::BitCast(dw, f))));
}

// first and second, on no middle of BFloat16, rounded to it: interleaved.
HWY_INLINE hn::Vec<SingleBits> ToBFloat16Pairs(hn::Vec<Singles> first, hn::Vec<Singles> second) {
  const SingleBits dw;
  const auto half = hn::Set(dw, 0x8000u);
  const auto low = hn::ShiftRight<16>(hn::Add(hn::BitCast(dw, first), half));
  return hn::OrAnd(low, hn::Add(hn::BitCast(dw, second), half), hn::Set(dw, 0xFFFF0000u));
}

// Whether all four vectors are further than eps from the middles of BFloat16, as rounding-inl.h has it for doubles.
HWY_INLINE bool DecidedFloats(const FloatPair& v, hn::Vec<Singles> eps) {
  const Singles ds;
  const auto from_middle = [ds](hn::Vec<Singles> f) POSENC_INLINE_LAMBDA {
    const SingleBits dw;
    const auto middle = hn::OrAnd(hn::BitCast(ds, hn::Set(dw, 0x8000u)), f, hn::BitCast(ds, hn::Set(dw, 0xFFFF0000u)));
    return hn::Sub(f, middle);
  };
  auto nearest = hn::Abs(from_middle(v.first_ahead));
  nearest = SmallerSize(nearest, from_middle(v.second_ahead));
  nearest = SmallerSize(nearest, from_middle(v.first_back));
  nearest = SmallerSize(nearest, from_middle(v.second_back));
  return hn::AllTrue(ds, hn::Gt(nearest, eps));
}

#endif  // POSENC_WHOLE_VECTORS

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_WORDS_INL_H_TOGGLE
