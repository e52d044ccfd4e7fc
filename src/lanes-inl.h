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

// 32 vector registers rather than 16.
#define POSENC_MANY_REGISTERS (HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM)

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
