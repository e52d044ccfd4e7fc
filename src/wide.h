// Arithmetic on limbs and on Wide, for the rooms turns and repair: wide integers and exact doubles go in, wide numbers
// come out. Integers only, no allocation; the number of limbs is a template argument.
//
// Two kinds of result, and no third: truncated (towards zero, relative error below 2^(1-64R) for R limbs) and rounded
// to odd. Rounding to odd truncates and sets the last bit when a non-zero part was dropped. A later rounding to
// nearest, to at least two bits less, then equals the rounding of the exact value (Boldo, Melquiond 2008), and so does
// a later rounding to odd to fewer bits; the sign of even the smallest dropped part survives.

#ifndef POSENC_SRC_WIDE_H_
#define POSENC_SRC_WIDE_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/turns.h"

namespace posenc {

__extension__ typedef unsigned __int128 Uint128;

// 1/(2 pi) and 2 pi, rounded down to 384 bits. tests/constants/wide_constants.py prints them.
inline constexpr Wide<6> kInverseTwoPi = {{0x06492eea09d1921c, 0xb7246e3a424dd2e0, 0xfe5163abdebbc561,
                                           0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529},
                                          -2,
                                          false};
inline constexpr Wide<6> kTwoPi = {{0xef9519b3cd3a431b, 0x514a08798e3404dd, 0x020bbea63b139b22, 0x29024e088a67cc74,
                                    0xc4c6628b80dc1cd1, 0xc90fdaa22168c234},
                                   3,
                                   false};

// x += y mod 2^(64N). Returns the carry.
template <int N>
inline std::uint64_t AddLimbs(std::uint64_t (&x)[N], const std::uint64_t (&y)[N]) noexcept {
  std::uint64_t carry = 0;
  for (int i = 0; i < N; ++i) {
    const Uint128 sum = static_cast<Uint128>(x[i]) + y[i] + carry;
    x[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  return carry;
}

// x -= y mod 2^(64N). Returns the borrow.
template <int N>
inline std::uint64_t SubtractLimbs(std::uint64_t (&x)[N], const std::uint64_t (&y)[N]) noexcept {
  std::uint64_t borrow = 0;
  for (int i = 0; i < N; ++i) {
    const Uint128 difference = static_cast<Uint128>(x[i]) - y[i] - borrow;
    x[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
  return borrow;
}

// x = -x mod 2^(64N).
template <int N>
inline void NegateLimbs(std::uint64_t (&x)[N]) noexcept {
  std::uint64_t zero[N] = {};
  SubtractLimbs(zero, x);
  for (int i = 0; i < N; ++i) x[i] = zero[i];
}

// Zero bits above the highest one; 64N for zero.
template <int N>
constexpr int LeadingZeros(const std::uint64_t (&x)[N]) noexcept {
  for (int i = N - 1; i >= 0; --i) {
    if (x[i] != 0) return 64 * (N - 1 - i) + std::countl_zero(x[i]);
  }
  return 64 * N;
}

// x = x * 2^bits mod 2^(64N). bits >= 0.
template <int N>
inline void ShiftLeft(std::uint64_t (&x)[N], std::int64_t bits) noexcept {
  const int limbs = bits < 64 * N ? static_cast<int>(bits / 64) : N;
  const int rest = static_cast<int>(bits % 64);
  int i = N - 1;
  for (; i > limbs; --i) x[i] = x[i - limbs] << rest | x[i - limbs - 1] >> 1 >> (63 - rest);
  if (i == limbs) x[i--] = x[0] << rest;
  for (; i >= 0; --i) x[i] = 0;
}

// x = floor(x / 2^bits). bits >= 0. Returns 1 when a non-zero part was dropped, else 0.
template <int N>
inline std::uint64_t ShiftRight(std::uint64_t (&x)[N], std::int64_t bits) noexcept {
  const int limbs = bits < 64 * N ? static_cast<int>(bits / 64) : N;
  const int rest = static_cast<int>(bits % 64);
  std::uint64_t dropped = 0;
  for (int i = 0; i < limbs; ++i) dropped |= x[i];
  int i = 0;
  if (limbs < N) {
    dropped |= x[limbs] << 1 << (63 - rest);
    for (; i < N - 1 - limbs; ++i) x[i] = x[i + limbs] >> rest | x[i + limbs + 1] << 1 << (63 - rest);
    x[i++] = x[N - 1] >> rest;
  }
  for (; i < N; ++i) x[i] = 0;
  return dropped != 0;
}

// quotient = floor(x / divisor) of the limbs. divisor > 0.
template <int N>
constexpr void DivideLimbs(const std::uint64_t (&x)[N], std::uint64_t divisor, std::uint64_t (&quotient)[N]) noexcept {
  Uint128 rest = 0;
  for (int i = N - 1; i >= 0; --i) {
    rest = rest << 64 | x[i];
    quotient[i] = static_cast<std::uint64_t>(rest / divisor);
    rest %= divisor;
  }
}

// product = a * b, exact.
template <int A, int B>
inline void MultiplyLimbs(const std::uint64_t (&a)[A], const std::uint64_t (&b)[B],
                          std::uint64_t (&product)[A + B]) noexcept {
  for (int i = 0; i < B; ++i) product[i] = 0;
  for (int i = 0; i < A; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < B; ++j) {
      // At most (2^64-1)^2 + 2 (2^64-1) = 2^128 - 1.
      const Uint128 sum = static_cast<Uint128>(a[i]) * b[j] + product[i + j] + carry;
      product[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    product[i + B] = carry;
  }
}

// The top bit of a Wide is set unless it is zero, so one limb tells.
template <int N>
constexpr bool IsZero(const Wide<N>& x) noexcept {
  return x.limb[N - 1] == 0;
}

template <int N>
constexpr Wide<N> Negated(Wide<N> x) noexcept {
  x.negative = !x.negative;
  return x;
}

// The same number in R limbs: exact when R >= N or the lower limbs are zero, else truncated.
template <int R, int N>
inline Wide<R> Resized(const Wide<N>& x) noexcept {
  Wide<R> result;
  for (int i = 0; i < R && i < N; ++i) result.limb[R - 1 - i] = x.limb[N - 1 - i];
  result.exponent = x.exponent;
  result.negative = x.negative;
  return result;
}

// (-1)^negative * x / 2^(64N) * 2^exponent; x need not have its top bit set. Truncated to R limbs.
template <int R, int N>
inline Wide<R> Normalized(const std::uint64_t (&x)[N], std::int32_t exponent, bool negative) noexcept {
  Wide<N> result;
  result.negative = negative;
  const int zeros = LeadingZeros(x);
  if (zeros < 64 * N) {
    for (int i = 0; i < N; ++i) result.limb[i] = x[i];
    ShiftLeft(result.limb, zeros);
    result.exponent = exponent - zeros;
  }
  return Resized<R>(result);
}

// The exact number that a finite double holds, the sign of zero included.
[[gnu::noinline]] inline Wide<1> WideOf(double x) noexcept {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::int32_t field = static_cast<std::int32_t>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0x000fffffffffffff;
  // Units of 2^-1074: bit 52 is implicit from field 1 on.
  const std::uint64_t mantissa[1] = {field == 0 ? fraction : fraction | 0x0010000000000000};
  return Normalized<1>(mantissa, (field == 0 ? 1 : field) - 1075 + 64, bits >> 63 != 0);
}

// a * b: exact when R >= A + B, else truncated. The sign of a zero is the product of the signs.
template <int R, int A, int B>
inline Wide<R> Multiply(const Wide<A>& a, const Wide<B>& b) noexcept {
  Wide<A + B> product;
  product.negative = a.negative != b.negative;
  if (IsZero(a) || IsZero(b)) return Resized<R>(product);
  MultiplyLimbs(a.limb, b.limb, product.limb);
  product.exponent = a.exponent + b.exponent;
  if (product.limb[A + B - 1] >> 63 == 0) {  // both factors are at least 1/2, so one bit at most is missing
    for (int i = A + B - 1; i > 0; --i) product.limb[i] = product.limb[i] << 1 | product.limb[i - 1] >> 63;
    product.limb[0] <<= 1;
    --product.exponent;
  }
  return Resized<R>(product);
}

// a + b rounded to odd: exact whenever the sum fits into N limbs. Zeros add as in IEEE 754, and an exact sum that
// cancels is +0.
//
// One limb more is kept while adding: the larger term ends in 64 zero bits, so that the smaller one, jammed into the
// last bit, gives the sum rounded to odd in N + 1 limbs. Bits are dropped from the smaller term only when its exponent
// is less by more than 64; then at most one leading bit cancels, and the drop to N limbs still covers the jammed bit.
template <int N>
Wide<N> AddToOdd(const Wide<N>& a, const Wide<N>& b) noexcept {
  if (IsZero(a)) {
    Wide<N> result = b;
    if (IsZero(b)) result.negative = a.negative && b.negative;
    return result;
  }
  if (IsZero(b)) return a;
  const bool a_larger = a.exponent >= b.exponent;
  const Wide<N>& large = a_larger ? a : b;
  const Wide<N>& small = a_larger ? b : a;
  std::uint64_t term[N + 1] = {};
  for (int i = 0; i < N; ++i) term[i + 1] = small.limb[i];
  term[0] |= ShiftRight(term, static_cast<std::int64_t>(large.exponent) - small.exponent);
  const bool subtracts = large.negative != small.negative;
  const std::uint64_t flip = subtracts ? ~std::uint64_t{0} : 0;
  std::uint64_t sum[N + 1];
  std::uint64_t carry = flip & 1;
  for (int i = 0; i <= N; ++i) {
    const Uint128 total = static_cast<Uint128>(i == 0 ? 0 : large.limb[i - 1]) + (term[i] ^ flip) + carry;
    sum[i] = static_cast<std::uint64_t>(total);
    carry = static_cast<std::uint64_t>(total >> 64);
  }
  Wide<N> result;
  result.exponent = large.exponent;
  result.negative = large.negative;
  if (subtracts && carry == 0) {  // both have the same exponent
    NegateLimbs(sum);
    result.negative = !result.negative;
  } else if (!subtracts && carry != 0) {
    sum[0] |= ShiftRight(sum, 1);
    sum[N] |= 0x8000000000000000;
    ++result.exponent;
  }
  if (sum[N] >> 63 == 0) {
    const int zeros = LeadingZeros(sum);
    if (zeros == 64 * (N + 1)) return {};
    ShiftLeft(sum, zeros);
    result.exponent -= zeros;
  }
  for (int i = 0; i < N; ++i) result.limb[i] = sum[i + 1];
  result.limb[0] |= sum[0] != 0;
  return result;
}

}  // namespace posenc

#endif  // POSENC_SRC_WIDE_H_
