// Bench, reference: a spec and a position go in, exact sines and cosines by MPFR come out.

#include "bench/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace posenc_bench {

Deviation Compare(double got, const Number& exact, const Format& format) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(got)) return {kInfinity, kInfinity};
  Number difference;
  mpfr_sub_d(difference.value(), exact.value(), got, MPFR_RNDN);
  mpfr_abs(difference.value(), difference.value(), MPFR_RNDN);
  const double absolute = mpfr_get_d(difference.value(), MPFR_RNDN);
  if (got == 0.0 && std::signbit(got) != (mpfr_signbit(exact.value()) != 0)) return {absolute, kInfinity};
  // MPFR's exponent is that of a fraction from 0.5 to 1.
  const bool zero = mpfr_zero_p(exact.value()) != 0;
  const mpfr_exp_t exponent = zero ? format.MinExponent() : mpfr_get_exp(exact.value()) - 1;
  const mpfr_exp_t ulp_exponent = std::max<mpfr_exp_t>(exponent, format.MinExponent()) - (format.precision - 1);
  // Scaled as an MPFR number: half an ulp of the smallest doubles is none.
  mpfr_mul_2si(difference.value(), difference.value(), -ulp_exponent, MPFR_RNDN);
  return {absolute, mpfr_get_d(difference.value(), MPFR_RNDN)};
}

Deviation Largest(const Deviation& a, const Deviation& b) {
  return {std::max(a.absolute, b.absolute), std::max(a.ulps, b.ulps)};
}

Wave WaveAt(const posenc::Spec& spec, std::size_t column) {
  const std::size_t half = spec.dim / 2;
  if (spec.layout == posenc::Layout::kInterleaved) return {column / 2, column % 2 != 0};
  return {column % half, column >= half};
}

void ExactWaves::At(const Number& position, std::size_t k, Number& sin, Number& cos) {
  SetAngle(position, k);
  mpfr_sin_cos(sin.value(), cos.value(), angle_.value(), MPFR_RNDN);
}

void ExactWaves::At(const Number& position, const Wave& wave, Number& value) {
  SetAngle(position, wave.k);
  (wave.cosine ? mpfr_cos : mpfr_sin)(value.value(), angle_.value(), MPFR_RNDN);
}

const Number& ExactWaves::Frequency(std::size_t k) {
  std::unique_ptr<Number>& frequency = frequencies_[k];
  if (frequency == nullptr) {
    frequency = std::make_unique<Number>();
    if (!spec_.inv_freq.empty()) {
      frequency->Set(spec_.inv_freq[k]);
    } else {
      Number exponent;
      mpfr_set_si(exponent.value(), -2 * static_cast<std::int64_t>(k), MPFR_RNDN);
      mpfr_div_ui(exponent.value(), exponent.value(), spec_.dim, MPFR_RNDN);
      frequency->Set(spec_.base);
      mpfr_pow(frequency->value(), frequency->value(), exponent.value(), MPFR_RNDN);
    }
  }
  return *frequency;
}

}  // namespace posenc_bench
