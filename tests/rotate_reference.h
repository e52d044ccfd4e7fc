// Test room reference, for rotations: a Spec, a position and a row of heads go in, the correctly rounded row comes out
// by MPFR from the formula of Encoder::Rotate.

#ifndef POSENC_TESTS_ROTATE_REFERENCE_H_
#define POSENC_TESTS_ROTATE_REFERENCE_H_

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "tests/reference.h"
#include "tests/rounding.h"

namespace posenc::test {

// One sum of two products, rounded once. The sum keeps kSumBits of two numbers of up to kWaveBits + 106: where they
// cancel, in all but the last 2^-400 of random ones, that is enough, and what is dropped below marks the last bit.
class RotationReference {
 public:
  // So many that on_sin * sin of the tiniest angle is a whole part of the sum, and 1 - cos of it too.
  static constexpr mpfr_prec_t kWaveBits = 6000;
  static constexpr mpfr_prec_t kShortWaveBits = 500;

  explicit RotationReference(const Spec& spec) : spec_(spec), frequencies_(spec) {
    for (std::size_t k = 0; k < frequencies_.frequencies(); ++k) {
      sin_.emplace_back(MPFR_PREC_MIN);
      cos_.emplace_back(MPFR_PREC_MIN);
    }
  }

  // Rotates one row; heads of head_dim elements, of which the first spec.dim are pairs.
  template <class P, class T>
  void Row(P position, std::size_t heads, std::size_t head_dim, const T* x, T* out) {
    const bool finite = Fill(position);
    const std::size_t pairs = spec_.dim / 2;
    for (std::size_t head = 0; head < heads; ++head) {
      const T* const from = x + head * head_dim;
      T* const to = out + head * head_dim;
      for (std::size_t i = spec_.dim; i < head_dim; ++i) to[i] = from[i];
      for (std::size_t k = 0; k < pairs; ++k) {
        const bool interleaved = spec_.layout == Layout::kInterleaved;
        const std::size_t first = interleaved ? 2 * k : k;
        const std::size_t second = interleaved ? 2 * k + 1 : k + pairs;
        const double a = ToDouble(from[first]), b = ToDouble(from[second]);
        to[first] = finite ? Element<T>(k, a, -b) : FromBits<T>(QuietNanBits<T>());
        to[second] = finite ? Element<T>(k, b, a) : FromBits<T>(QuietNanBits<T>());
      }
    }
  }

  // amplitude * (on_cos * cos + on_sin * sin) of the position of the last Fill.
  template <class T>
  T Element(std::size_t k, double on_cos, double on_sin) {
    if (no_rotation_[k]) {
      Real value(106);
      mpfr_set_d(value, on_cos, MPFR_RNDN);
      mpfr_mul_d(value, value, spec_.amplitude, MPFR_RNDN);
      return RoundOnce<T>(value);
    }
    Real left(106), right(106);
    mpfr_set_d(left, spec_.amplitude, MPFR_RNDN);
    mpfr_mul_d(left, left, on_cos, MPFR_RNDN);  // exact
    mpfr_set_d(right, spec_.amplitude, MPFR_RNDN);
    mpfr_mul_d(right, right, on_sin, MPFR_RNDN);
    const mpfr_prec_t wave_bits = mpfr_get_prec(static_cast<mpfr_srcptr>(cos_[k]));
    Real cos_part(wave_bits + 106), sin_part(wave_bits + 106), sum(wave_bits + 106);
    mpfr_mul(cos_part, left, cos_[k], MPFR_RNDN);  // exact
    mpfr_mul(sin_part, right, sin_[k], MPFR_RNDN);
    const mpfr_ptr s = sum;
    if (mpfr_add(s, cos_part, sin_part, MPFR_RNDZ) != 0) {
      // Rounded to odd, as the reference rounds what it cannot hold.
      if (mpfr_min_prec(s) < mpfr_get_prec(s)) {
        if (mpfr_signbit(s) != 0) {
          mpfr_nextbelow(s);
        } else {
          mpfr_nextabove(s);
        }
      }
    } else if (mpfr_zero_p(s)) {
      mpfr_add(s, cos_part, sin_part, MPFR_RNDN);  // the sign of a zero depends on the mode
    }
    return RoundOnce<T>(sum);
  }

  // False: the position is not finite.
  template <class P>
  bool Fill(P position) {
    if constexpr (std::is_floating_point_v<P>) {
      if (!std::isfinite(position)) return false;
    }
    no_rotation_.assign(frequencies_.frequencies(), false);
    for (std::size_t k = 0; k < frequencies_.frequencies(); ++k) {
      Real angle(Reference::kFrequencyBits + 64);
      if constexpr (std::is_floating_point_v<P>) {
        mpfr_mul_d(angle, frequencies_.Frequency(k), position, MPFR_RNDN);
      } else {
        mpfr_mul_si(angle, frequencies_.Frequency(k), static_cast<long>(position), MPFR_RNDN);
      }
      const mpfr_ptr a = angle;
      no_rotation_[k] = mpfr_zero_p(a) != 0;
      const bool tiny = !no_rotation_[k] && mpfr_get_exp(a) < -40;
      mpfr_set_prec(sin_[k], tiny ? kWaveBits : kShortWaveBits);
      mpfr_set_prec(cos_[k], tiny ? kWaveBits : kShortWaveBits);
      mpfr_sin_cos(sin_[k], cos_[k], a, MPFR_RNDN);
    }
    return true;
  }

 private:
  Spec spec_;
  Reference frequencies_;
  std::vector<bool> no_rotation_;
  std::vector<Real> sin_;
  std::vector<Real> cos_;
};

}  // namespace posenc::test

#endif  // POSENC_TESTS_ROTATE_REFERENCE_H_
