// Bench, reference: a spec and a position go in, exact sines and cosines by MPFR come out; and how far a value is from
// one.

#ifndef POSENC_BENCH_REFERENCE_H_
#define POSENC_BENCH_REFERENCE_H_

#include <mpfr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/elements.h"
#include "posenc/posenc.h"

namespace posenc_bench {

// 256 bits: 63 of the integer part of an angle leave more than 190 fraction bits, over three times those of a double.
class Number {
 public:
  Number() { mpfr_init2(value_, 256); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  mpfr_ptr value() { return value_; }
  mpfr_srcptr value() const { return value_; }
  void Set(std::int64_t integer) { mpfr_set_si(value_, integer, MPFR_RNDN); }
  void Set(double real) { mpfr_set_d(value_, real, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

// An ulp is the distance of the elements of a format in the binade of the exact value.
struct Deviation {
  double absolute = 0.0;
  double ulps = 0.0;

  // Of a value that is the exact one rounded to nearest.
  static constexpr double kNearestUlps = 0.5;
};

// NaN is infinitely far from everything, and a zero with the wrong sign is infinitely many ulps off.
Deviation Compare(double got, const Number& exact, const Format& format);

// The larger of each.
Deviation Largest(const Deviation& a, const Deviation& b);

// Which wave stands in a column of a row of this spec, an even dim without cos_first.
struct Wave {
  std::size_t k;
  bool cosine;
};
Wave WaveAt(const posenc::Spec& spec, std::size_t column);

// The exact waves of a spec with an even dim, exclusive spacing or inv_freq, and no factors.
class ExactWaves {
 public:
  explicit ExactWaves(const posenc::Spec& spec) : spec_(spec), frequencies_(spec.dim / 2) {}

  void At(const Number& position, std::size_t k, Number& sin, Number& cos);
  void At(const Number& position, const Wave& wave, Number& value);

 private:
  const Number& Frequency(std::size_t k);
  void SetAngle(const Number& position, std::size_t k) {
    mpfr_mul(angle_.value(), position.value(), Frequency(k).value(), MPFR_RNDN);
  }

  posenc::Spec spec_;
  std::vector<std::unique_ptr<Number>> frequencies_;  // those that were asked for
  Number angle_;
};

}  // namespace posenc_bench

#endif  // POSENC_BENCH_REFERENCE_H_
