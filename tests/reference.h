// Test room reference: a Spec and a position go in, the correctly rounded row comes out, by MPFR from the formulas of
// posenc.h and of nothing else: no frequency, table or helper of the library is used.

#ifndef POSENC_TESTS_REFERENCE_H_
#define POSENC_TESTS_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#define MPFR_USE_INTMAX_T 1
#include <mpfr.h>

#include "posenc/posenc.h"
#include "tests/rounding.h"

namespace posenc::test {

// An MPFR number that frees itself.
class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Real(Real&& other) noexcept {
    mpfr_init2(value_, MPFR_PREC_MIN);
    mpfr_swap(value_, other.value_);
  }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  Real& operator=(Real&&) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }           // NOLINT(google-explicit-constructor): stands for an mpfr_t
  operator mpfr_srcptr() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t value_;
};

// Rounds an exact MPFR number once.
template <class T>
T RoundOnce(mpfr_srcptr exact);

// What the place of a column in a row holds.
struct Place {
  enum class Kind : std::uint8_t { kSin, kCos, kZero };
  Kind kind = Kind::kZero;
  std::size_t frequency = 0;
};

// Frequencies of one Spec, computed once with kFrequencyBits. At |p| <= 2^63 and |w * position_scale| <= 2^64 an angle
// is below 2^127, so its absolute error is below 2^(127 - 639); its sine and cosine are then rounded to odd at
// kValueBits. That is far below what decides a rounding to 53 bits, near multiples of pi too. With inv_freq the angle
// is exact. Not for several threads at once.
class Reference {
 public:
  static constexpr mpfr_prec_t kFrequencyBits = 640;
  static constexpr mpfr_prec_t kValueBits = 400;

  explicit Reference(const Spec& spec);

  std::size_t dim() const { return places_.size(); }
  std::size_t frequencies() const { return frequency_.size(); }
  const Place& place(std::size_t column) const { return places_[column]; }

  // w_k * position_scale.
  mpfr_srcptr Frequency(std::size_t k) const { return frequency_[k]; }

  // Sine and cosine of position * w_k * position_scale, without the amplitude, rounded to odd: to the precision of the
  // outputs, with a last bit that is set when the exact value goes on.
  template <class P>
  void SinCos(P position, std::size_t k, mpfr_ptr sin, mpfr_ptr cos);

  // The angle in half turns (units of pi), less a multiple of 2: in [-1, 1], rounded once to double.
  template <class P>
  double HalfTurns(P position, std::size_t k);

  // The row of a position: P is an integer or a floating-point type, T an output type. A NaN or infinite position gives
  // NaNs for all sines and cosines.
  template <class P, class T>
  void Row(P position, T* out);

  // round(x_scale * x + PE), one rounding of the exact sum.
  template <class P, class T>
  void AddRow(P position, double x_scale, const T* x, T* out);

  // The rows of start, start + step, ... ; all of them int64.
  template <class T>
  std::vector<T> Range(std::int64_t start, std::size_t count, std::int64_t step = 1);

 private:
  // Fills waves_ with amplitude * sin and amplitude * cos of every frequency. False: the position is not finite.
  template <class P>
  bool Fill(P position);
  template <class P>
  void Angle(P position, std::size_t k);
  mpfr_srcptr Wave(const Place& place) const;

  Spec spec_;
  std::vector<Place> places_;
  std::vector<Real> frequency_;
  std::vector<Real> sin_;
  std::vector<Real> cos_;
  Real zero_;
  Real position_;
  Real angle_;
  Real narrow_sin_;
  Real narrow_cos_;
};

}  // namespace posenc::test

#endif  // POSENC_TESTS_REFERENCE_H_
