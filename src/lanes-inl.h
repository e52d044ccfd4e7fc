// Room lanes: the vector types that kernels and store share, and arithmetic on unevaluated sums of two doubles in them;
// per target. Conditions: round to nearest, no contraction, no reassociation.

#if defined(POSENC_SRC_LANES_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_LANES_INL_H_TOGGLE
#undef POSENC_SRC_LANES_INL_H_TOGGLE
#else
#define POSENC_SRC_LANES_INL_H_TOGGLE
#endif

#include <cstdint>

#include "hwy/highway.h"

#ifdef __FAST_MATH__
#error "posenc rounds correctly only where floating-point arithmetic is IEEE 754: build it without -ffast-math."
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Bits64 = hn::RebindToUnsigned<Doubles>;
using Floats = hn::Rebind<float, Doubles>;          // as many floats as doubles
using Bits32 = hn::Rebind<std::uint32_t, Doubles>;  // as many words as doubles
using Bits16 = hn::Rebind<std::uint16_t, Doubles>;
using Vec = hn::Vec<Doubles>;
using Mask = hn::Mask<Doubles>;

// For lambdas in hot loops: without it Clang and GCC -O2 call some of them, at half the speed.
#if HWY_COMPILER_MSVC
#define POSENC_INLINE_LAMBDA
#else
#define POSENC_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

// Whole vectors can be permuted across their 128-bit blocks, and stores can go past the caches.
#define POSENC_WHOLE_VECTORS (HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

// For what Highway has no operation for: vectors are __m512d.
#define POSENC_AVX512 (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)

// 32 vector registers rather than 16.
#define POSENC_MANY_REGISTERS (HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM)

// The smaller of |a| and |b|, with the sign of a: one operation where AVX-512 has it instead of two. With the
// permutation of two vectors in store-inl.h, floats are written 1.16 times as fast in cache.
HWY_INLINE Vec SmallerSize(Vec a, Vec b) {
#if POSENC_AVX512
  return Vec{_mm512_range_pd(a.raw, b.raw, 2)};
#else
  return hn::Min(a, hn::Abs(b));
#endif
}

#if POSENC_WHOLE_VECTORS
using Singles = hn::Repartition<float, Doubles>;  // twice as many floats as doubles
using SingleBits = hn::RebindToUnsigned<Singles>;
using SingleVec = hn::Vec<Singles>;

// The values of a vector of frequencies in two rows at equal distance from their anchor: of the row ahead, of the row
// back.
struct FloatPair {
  SingleVec first_ahead, second_ahead, first_back, second_back;
};

HWY_INLINE hn::Vec<Singles> SmallerSize(hn::Vec<Singles> a, hn::Vec<Singles> b) {
#if POSENC_AVX512
  return {_mm512_range_ps(a.raw, b.raw, 2)};
#else
  return hn::Min(a, hn::Abs(b));
#endif
}

// a0 a1 .. b0 b1 .. becomes a0 b0 a1 b1 ..: one permutation and one store of a whole vector, where StoreInterleaved2
// takes more of both.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V InterleaveHalves(D du, V halves) {
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

// a0 b0 a1 b1 .. of two halves.
template <class V = hn::Vec<hn::Half<SingleBits>>>
HWY_INLINE hn::Vec<SingleBits> Interleave(SingleBits dw, V a, V b) {
#if POSENC_AVX512
  HWY_ALIGN_MAX static constexpr std::int32_t kOrder[16] = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
  static_cast<void>(dw);
  return {_mm512_permutex2var_epi32(_mm512_castsi256_si512(a.raw), _mm512_load_si512(kOrder),
                                    _mm512_castsi256_si512(b.raw))};
#else
  return InterleaveHalves(dw, hn::Combine(dw, b, a));
#endif
}
#endif  // POSENC_WHOLE_VECTORS

// std::swap is not for the sizeless vectors of SVE.
HWY_INLINE void SwapVectors(Vec& a, Vec& b) {
  const Vec kept = a;
  a = b;
  b = kept;
}

// sum = a + b to nearest and what it leaves out, exactly. 6 operations (Knuth).
HWY_INLINE void TwoSum(Vec a, Vec b, Vec& sum, Vec& error) {
  sum = hn::Add(a, b);
  const Vec b_part = hn::Sub(sum, a);
  error = hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part));
}

// The same in 3 operations for |a| >= |b| or a = 0 (Dekker).
HWY_INLINE void FastTwoSum(Vec a, Vec b, Vec& sum, Vec& error) {
  sum = hn::Add(a, b);
  error = hn::Sub(b, hn::Sub(sum, a));
}

// a * b - product, exactly, for product = a * b to nearest without underflow. One operation with FMA; without, Dekker's
// 17, for |a|, |b| < 2^995.
HWY_INLINE Vec ProductError(Doubles d, Vec a, Vec b, Vec product) {
#if HWY_NATIVE_FMA
  static_cast<void>(d);
  return hn::MulSub(a, b, product);
#else
  const Vec split = hn::Set(d, 0x1.0000002p27);  // 2^27 + 1
  const Vec a_scaled = hn::Mul(split, a);
  const Vec a_high = hn::Sub(a_scaled, hn::Sub(a_scaled, a));
  const Vec a_low = hn::Sub(a, a_high);
  const Vec b_scaled = hn::Mul(split, b);
  const Vec b_high = hn::Sub(b_scaled, hn::Sub(b_scaled, b));
  const Vec b_low = hn::Sub(b, b_high);
  Vec error = hn::Sub(hn::Mul(a_high, b_high), product);
  error = hn::Add(error, hn::Mul(a_high, b_low));
  error = hn::Add(error, hn::Mul(a_low, b_high));
  return hn::Add(error, hn::Mul(a_low, b_low));
#endif
}

// (a + a_low) * (b + b_low) as an unevaluated sum, not normalised; a_low * b_low is left out. Off by at most 4 u^2 of
// the product, u = 2^-53, for low parts of at most u of the high ones.
HWY_INLINE void PairProduct(Doubles d, Vec a, Vec a_low, Vec b, Vec b_low, Vec& product, Vec& product_low) {
  product = hn::Mul(a, b);
  Vec error = ProductError(d, a, b, product);
  error = hn::MulAdd(a, b_low, error);
  product_low = hn::MulAdd(a_low, b, error);
}

// a + a_low + b + b_low, normalised: |sum_low| <= ulp(sum) / 2. Off by at most 4 u^2 of the larger summand.
HWY_INLINE void PairSum(Vec a, Vec a_low, Vec b, Vec b_low, Vec& sum, Vec& sum_low) {
  Vec high, error;
  TwoSum(a, b, high, error);
  FastTwoSum(high, hn::Add(error, hn::Add(a_low, b_low)), sum, sum_low);
}

// (high + low) * factor in place, normalised.
HWY_INLINE void ScalePair(Doubles d, Vec factor, Vec& high, Vec& low) {
  Vec product, product_low;
  PairProduct(d, high, low, factor, hn::Zero(d), product, product_low);
  FastTwoSum(product, product_low, high, low);
  high = hn::CopySign(high, product);  // of -0 too
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_LANES_INL_H_TOGGLE
