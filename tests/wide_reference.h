// Test room reference, for wide numbers: the numbers of src/wide.h go in, their values and sums come out in MPFR.

#ifndef POSENC_TESTS_WIDE_REFERENCE_H_
#define POSENC_TESTS_WIDE_REFERENCE_H_

#include <bit>
#include <cmath>
#include <random>

#include "src/turns.h"
#include "tests/reference.h"

namespace posenc::test {

// The number that a Wide holds; exact when the precision of value allows it.
template <int N>
void ToReal(const Wide<N>& x, mpfr_ptr value) {
  Real limb(64);
  mpfr_set_zero(value, x.negative ? -1 : 1);
  for (int i = N - 1; i >= 0; --i) {
    mpfr_set_uj(limb, x.limb[i], MPFR_RNDN);
    mpfr_mul_2si(limb, limb, x.exponent - 64 * (N - i), MPFR_RNDN);
    if (x.negative) mpfr_neg(limb, limb, MPFR_RNDN);
    if (x.limb[i] != 0) mpfr_add(value, value, limb, MPFR_RNDN);
  }
}

// x + y rounded to odd to the precision of sum.
inline void AddOdd(mpfr_ptr sum, mpfr_srcptr x, mpfr_srcptr y) {
  if (mpfr_add(sum, x, y, MPFR_RNDZ) == 0 || mpfr_min_prec(sum) == mpfr_get_prec(sum)) return;
  if (mpfr_sgn(sum) > 0) {
    mpfr_nextabove(sum);
  } else {
    mpfr_nextbelow(sum);
  }
}

// A finite double of any exponent, subnormals included.
inline double FiniteDouble(std::mt19937_64& random) {
  for (;;) {
    const double x = std::bit_cast<double>(random());
    if (std::isfinite(x)) return x;
  }
}

}  // namespace posenc::test

#endif  // POSENC_TESTS_WIDE_REFERENCE_H_
