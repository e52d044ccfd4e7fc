// Test room reference, for single elements: a frequency, a position and an addend go in, the correctly rounded element
// comes out by MPFR, also where an addend cancels all but the last term of a tiny angle's series.

#ifndef POSENC_TESTS_REPAIR_REFERENCE_H_
#define POSENC_TESTS_REPAIR_REFERENCE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <variant>
#include <vector>

#include "posenc/posenc.h"
#include "src/repair.h"
#include "src/turns.h"
#include "tests/reference.h"
#include "tests/specs.h"
#include "tests/wide_reference.h"

namespace posenc::test {

inline constexpr mpfr_prec_t kElementBits = 500;

// One frequency: its turns by the library, its exact value by MPFR.
struct Frequency {
  explicit Frequency(double w, double scale = 1.0) : exact(Reference::kFrequencyBits) {
    Spec spec = SpecOf(2);
    spec.inv_freq = {w};
    spec.position_scale = scale;
    Fill(spec, 0);
  }
  Frequency(const Spec& spec, std::size_t k) : exact(Reference::kFrequencyBits) { Fill(spec, k); }

  void Fill(const Spec& spec, std::size_t k) {
    const Reference reference(spec);
    std::vector<Turns> all(reference.frequencies());
    error = ComputeTurns(spec, all.size(), all.data());
    turns = all[k];
    mpfr_set(exact, reference.Frequency(k), MPFR_RNDN);
  }

  Turns turns;
  Real exact;
  Error error = Error::kNone;
};

using AnyPosition = std::variant<std::int64_t, double>;

inline Position ToPosition(const AnyPosition& position) {
  return std::visit([](auto p) { return PositionOf(p); }, position);
}

// Sine and cosine of position * frequency, so precise that 1 - cos a and a - sin a have kElementBits of their own
// however small the angle is.
class Waves {
 public:
  Waves(const Frequency& frequency, const AnyPosition& position) : sin_(kElementBits), cos_(kElementBits) {
    Real angle(Reference::kFrequencyBits + 64);
    const mpfr_ptr a = angle;
    if (const auto* integer = std::get_if<std::int64_t>(&position)) {
      mpfr_mul_si(a, frequency.exact, *integer, MPFR_RNDN);
      negative_ = *integer < 0;
    } else {
      mpfr_mul_d(a, frequency.exact, std::get<double>(position), MPFR_RNDN);
      negative_ = std::signbit(std::get<double>(position));
    }
    negative_ = negative_ != (mpfr_signbit(static_cast<mpfr_srcptr>(frequency.exact)) != 0);
    zero_ = mpfr_zero_p(a) != 0;
    const mpfr_prec_t bits = kElementBits + (zero_ ? 0 : 2 * std::max<mpfr_prec_t>(0, -mpfr_get_exp(a)));
    mpfr_set_prec(sin_, bits);
    mpfr_set_prec(cos_, bits);
    mpfr_sin(sin_, a, MPFR_RNDN);
    mpfr_cos(cos_, a, MPFR_RNDN);
  }

  // The exact addend + amplitude * wave, rounded once.
  template <class T>
  T Element(Wave wave, double amplitude, const Addend* addend) const {
    const mpfr_srcptr unscaled = wave == Wave::kSin ? sin_ : cos_;
    Real value(mpfr_get_prec(unscaled) + 53);
    Real sum(kElementBits);
    Real product(106);
    mpfr_mul_d(value, unscaled, amplitude, MPFR_RNDN);
    if (zero_ && wave == Wave::kSin) {
      mpfr_set_zero(value, negative_ != std::signbit(amplitude) ? -1 : 1);
    }
    if (addend == nullptr) return RoundOnce<T>(value);
    mpfr_set_d(product, addend->scale, MPFR_RNDN);
    mpfr_mul_d(product, product, addend->x, MPFR_RNDN);
    const mpfr_srcptr p = product;
    const mpfr_srcptr v = value;
    // Zeros and non-finite products: IEEE addition of MPFR's, to nearest.
    if (!mpfr_regular_p(p) || !mpfr_regular_p(v) || mpfr_cmpabs(p, v) == 0) {
      mpfr_add(value, p, v, MPFR_RNDN);
      return RoundOnce<T>(value);
    }
    AddOdd(sum, p, v);
    return RoundOnce<T>(sum);
  }

 private:
  Real sin_;
  Real cos_;
  bool zero_ = false;
  bool negative_ = false;
};

// Integers and doubles of every size up to 2^63, halves and zeros among them.
inline AnyPosition RandomPosition(std::mt19937_64& random) {
  switch (random() % 6) {
    case 0:
      return static_cast<std::int64_t>(random()) >> (random() % 64);
    case 1:
      return static_cast<std::int64_t>(random() % 100000);
    case 2:
      return static_cast<double>(random() % 2000000) * 0.5;
    case 3:
      return static_cast<double>(static_cast<float>(random() % 1000000) * 0.001f);
    case 4:
      return random() % 8 == 0 ? AnyPosition(-0.0) : AnyPosition(std::ldexp(1.0, static_cast<int>(random() % 64)));
    default: {
      double x = FiniteDouble(random);
      while (std::fabs(x) > 0x1p63) x *= 0x1p-64;
      return x;
    }
  }
}

}  // namespace posenc::test

#endif  // POSENC_TESTS_REPAIR_REFERENCE_H_
