// Test room reference: frequencies by mpfr_pow from the formula, rows by mpfr_sin_cos.

#include "tests/reference.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace posenc::test {
namespace {

using Kind = Place::Kind;

// base^(-2k/divisor): the exponent -k/D of posenc.h with D = divisor/2, a half-integer for odd dims with kDropCos.
std::size_t Divisor(const Spec& spec) {
  const std::size_t twice_n = spec.odd == OddDim::kDropCos ? spec.dim : spec.dim / 2 * 2;
  return spec.spacing == Spacing::kInclusive ? twice_n - 2 : twice_n;
}

std::size_t Sines(const Spec& spec) { return spec.odd == OddDim::kDropCos ? (spec.dim + 1) / 2 : spec.dim / 2; }

std::vector<Place> Places(const Spec& spec) {
  const std::size_t sines = Sines(spec);
  const std::size_t cosines = spec.dim / 2;
  std::vector<Place> places;
  const auto put = [&](Kind kind, std::size_t k) {
    if (k < (kind == Kind::kSin ? sines : cosines)) places.push_back({kind, k});
  };
  const Kind first = spec.cos_first ? Kind::kCos : Kind::kSin;
  const Kind second = spec.cos_first ? Kind::kSin : Kind::kCos;
  if (spec.layout == Layout::kInterleaved) {
    for (std::size_t k = 0; k < sines; ++k) {
      put(first, k);
      put(second, k);
    }
  } else {
    for (std::size_t k = 0; k < sines; ++k) put(first, k);
    for (std::size_t k = 0; k < sines; ++k) put(second, k);
  }
  places.resize(spec.dim);  // what kZero leaves is a zero
  return places;
}

template <class P>
bool IsFinite(P position) {
  if constexpr (std::is_floating_point_v<P>) return std::isfinite(position);
  return true;
}

// Rounds to odd what was truncated and was not exact: the last bit stands for all that was cut off. A later rounding to
// fewer bits by two or more then is that of the exact number (Boldo and Melquiond 2008), and so is its comparison with
// any shorter number: the cosine of a tiny angle stays below 1, whatever is added to it.
void MarkInexact(mpfr_ptr truncated) {
  if (mpfr_min_prec(truncated) == mpfr_get_prec(truncated)) return;
  if (mpfr_signbit(truncated) != 0) {
    mpfr_nextbelow(truncated);
  } else {
    mpfr_nextabove(truncated);
  }
}

}  // namespace

template <class T>
T RoundOnce(mpfr_srcptr exact) {
  const bool negative = mpfr_signbit(exact) != 0;
  if (mpfr_nan_p(exact)) return FromBits<T>(QuietNanBits<T>());
  if (mpfr_zero_p(exact)) return Assemble<T>(negative, 0, Format<T>::kLowest);
  constexpr int kMaxLeading = 2000;  // beyond every type, and a value within int
  if (mpfr_inf_p(exact) || mpfr_get_exp(exact) > kMaxLeading) {
    return FromBits<T>(static_cast<BitsOf<T>>(InfinityBits<T>() | (negative ? SignBit<T>() : 0)));
  }
  // An MPFR exponent e means a magnitude in [2^(e-1), 2^e).
  const int leading = mpfr_get_exp(exact) < -kMaxLeading ? -kMaxLeading : static_cast<int>(mpfr_get_exp(exact)) - 1;
  const int quantum = QuantumExponent<T>(leading);
  static thread_local Real scaled(Reference::kValueBits);
  mpfr_set_prec(scaled, mpfr_get_prec(exact));
  mpfr_mul_2si(scaled, exact, -quantum, MPFR_RNDN);
  const std::intmax_t significand = mpfr_get_sj(scaled, MPFR_RNDN);  // MPFR_RNDN: ties to even
  return Assemble<T>(negative, static_cast<std::uint64_t>(significand < 0 ? -significand : significand), quantum);
}

Reference::Reference(const Spec& spec)
    : spec_(spec),
      places_(Places(spec)),
      zero_(MPFR_PREC_MIN),
      position_(64),
      angle_(kFrequencyBits),
      narrow_sin_(kValueBits),
      narrow_cos_(kValueBits) {
  mpfr_set_zero(zero_, 1);
  const std::size_t count = Sines(spec);
  const std::size_t divisor = Divisor(spec);
  for (std::size_t k = 0; k < count; ++k) {
    Real w(kFrequencyBits);
    if (!spec.inv_freq.empty()) {
      mpfr_set_d(w, spec.inv_freq[k], MPFR_RNDN);
    } else if (k == 0) {
      mpfr_set_ui(w, 1, MPFR_RNDN);
    } else {
      Real exponent(kFrequencyBits);
      mpfr_set_ui(exponent, 2 * k, MPFR_RNDN);
      mpfr_div_ui(exponent, exponent, divisor, MPFR_RNDN);
      mpfr_neg(exponent, exponent, MPFR_RNDN);
      mpfr_set_d(w, spec.base, MPFR_RNDN);
      mpfr_pow(w, w, exponent, MPFR_RNDN);
    }
    mpfr_mul_d(w, w, spec.position_scale, MPFR_RNDN);
    frequency_.push_back(std::move(w));
    sin_.emplace_back(kValueBits + 53);
    cos_.emplace_back(kValueBits + 53);
  }
}

template <class P>
void Reference::Angle(P position, std::size_t k) {
  if constexpr (std::is_floating_point_v<P>) {
    mpfr_set_d(position_, position, MPFR_RNDN);
  } else {
    mpfr_set_sj(position_, position, MPFR_RNDN);
  }
  mpfr_mul(angle_, frequency_[k], position_, MPFR_RNDN);
}

template <class P>
void Reference::SinCos(P position, std::size_t k, mpfr_ptr sin, mpfr_ptr cos) {
  Angle(position, k);
  const mpfr_ptr angle = angle_;
  mpfr_sin_cos(sin, cos, angle, MPFR_RNDZ);
  if (mpfr_zero_p(angle)) return;
  // Lindemann and Weierstrass: no other angle that a Spec can give has a sine or a cosine of finitely many bits.
  MarkInexact(sin);
  MarkInexact(cos);
}

template <class P>
double Reference::HalfTurns(P position, std::size_t k) {
  Angle(position, k);
  static thread_local Real pi(kFrequencyBits);
  mpfr_const_pi(pi, MPFR_RNDN);
  static thread_local Real turns(kFrequencyBits);
  static thread_local Real whole(kFrequencyBits);
  mpfr_div(turns, angle_, pi, MPFR_RNDN);
  mpfr_div_2ui(whole, turns, 1, MPFR_RNDN);
  mpfr_round(whole, whole);
  mpfr_mul_2ui(whole, whole, 1, MPFR_RNDN);
  mpfr_sub(turns, turns, whole, MPFR_RNDN);
  return mpfr_get_d(turns, MPFR_RNDN);
}

template <class P>
bool Reference::Fill(P position) {
  if (!IsFinite(position)) return false;
  for (std::size_t k = 0; k < frequency_.size(); ++k) {
    Angle(position, k);
    // So many bits that 1 - cos a and a - sin a have kValueBits of their own however small the angle is: an addend may
    // cancel the rest.
    const mpfr_srcptr angle = angle_;
    const mpfr_prec_t smallness = mpfr_regular_p(angle) ? std::max<mpfr_prec_t>(0, -mpfr_get_exp(angle)) : 0;
    const mpfr_prec_t bits = kValueBits + 2 * smallness;
    mpfr_set_prec(narrow_sin_, bits);
    mpfr_set_prec(narrow_cos_, bits);
    mpfr_set_prec(sin_[k], bits + 53);
    mpfr_set_prec(cos_[k], bits + 53);
    SinCos(position, k, narrow_sin_, narrow_cos_);
    mpfr_set(sin_[k], narrow_sin_, MPFR_RNDN);
    mpfr_set(cos_[k], narrow_cos_, MPFR_RNDN);
    if (spec_.amplitude != 1.0) {
      mpfr_mul_d(sin_[k], sin_[k], spec_.amplitude, MPFR_RNDN);  // exact: kValueBits + 53 bits
      mpfr_mul_d(cos_[k], cos_[k], spec_.amplitude, MPFR_RNDN);
    }
  }
  return true;
}

mpfr_srcptr Reference::Wave(const Place& place) const {
  if (place.kind == Kind::kSin) return sin_[place.frequency];
  if (place.kind == Kind::kCos) return cos_[place.frequency];
  return zero_;
}

template <class P, class T>
void Reference::Row(P position, T* out) {
  const bool finite = Fill(position);
  for (std::size_t column = 0; column < dim(); ++column) {
    const bool defined = finite || places_[column].kind == Kind::kZero;
    out[column] = defined ? RoundOnce<T>(Wave(places_[column])) : FromBits<T>(QuietNanBits<T>());
  }
}

template <class P, class T>
void Reference::AddRow(P position, double x_scale, const T* x, T* out) {
  const bool finite = Fill(position);
  Real scale(53);
  Real product(106);
  Real exact_sum(kValueBits);
  const mpfr_ptr sum = exact_sum;
  mpfr_set_d(scale, x_scale, MPFR_RNDN);
  for (std::size_t column = 0; column < dim(); ++column) {
    if (!finite && places_[column].kind != Kind::kZero) {
      out[column] = FromBits<T>(QuietNanBits<T>());
      continue;
    }
    mpfr_mul_d(product, scale, ToDouble(x[column]), MPFR_RNDN);  // exact: 53 + 53 bits
    // The exact sum can need thousands of bits; so many are enough for what is left of a product of 106 bits.
    mpfr_set_prec(sum, std::max<mpfr_prec_t>(mpfr_get_prec(Wave(places_[column])), kValueBits) + 106);
    if (mpfr_add(sum, product, Wave(places_[column]), MPFR_RNDZ) != 0) {
      MarkInexact(sum);
    } else if (mpfr_zero_p(sum)) {
      mpfr_add(sum, product, Wave(places_[column]), MPFR_RNDN);  // the sign of a zero depends on the mode
    }
    out[column] = RoundOnce<T>(sum);
  }
}

template <class T>
std::vector<T> Reference::Range(std::int64_t start, std::size_t count, std::int64_t step) {
  std::vector<T> rows(count * dim());
  for (std::size_t r = 0; r < count; ++r) {
    // Modulo 2^64, so that a partial product beyond int64 does no harm.
    const auto position = static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                                    static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(step));
    Row(position, rows.data() + r * dim());
  }
  return rows;
}

#define POSENC_TEST_INSTANTIATE_ROWS(P, T)   \
  template void Reference::Row<P, T>(P, T*); \
  template void Reference::AddRow<P, T>(P, double, const T*, T*);
#define POSENC_TEST_INSTANTIATE_POSITION(P)                               \
  template void Reference::SinCos<P>(P, std::size_t, mpfr_ptr, mpfr_ptr); \
  template double Reference::HalfTurns<P>(P, std::size_t);                \
  POSENC_TEST_INSTANTIATE_ROWS(P, float)                                  \
  POSENC_TEST_INSTANTIATE_ROWS(P, double)                                 \
  POSENC_TEST_INSTANTIATE_ROWS(P, Half)                                   \
  POSENC_TEST_INSTANTIATE_ROWS(P, BFloat16)
POSENC_TEST_INSTANTIATE_POSITION(std::int32_t)
POSENC_TEST_INSTANTIATE_POSITION(std::int64_t)
POSENC_TEST_INSTANTIATE_POSITION(float)
POSENC_TEST_INSTANTIATE_POSITION(double)

#define POSENC_TEST_INSTANTIATE_TYPE(T) \
  template T RoundOnce<T>(mpfr_srcptr); \
  template std::vector<T> Reference::Range<T>(std::int64_t, std::size_t, std::int64_t);
POSENC_TEST_INSTANTIATE_TYPE(float)
POSENC_TEST_INSTANTIATE_TYPE(double)
POSENC_TEST_INSTANTIATE_TYPE(Half)
POSENC_TEST_INSTANTIATE_TYPE(BFloat16)

}  // namespace posenc::test
