// Rounding to an element type: a reference with an error bound and an element go in; a difference is a test failure.

#ifndef POSENC_TESTS_CLI_ROUNDING_H_
#define POSENC_TESTS_CLI_ROUNDING_H_

#include <cmath>
#include <string>

namespace posenc::cli_test {

// A binary floating-point format: its digits, and the exponent of its smallest normal number, 2^(least_exponent - 1).
struct Format {
  int digits;
  int least_exponent;
};
inline constexpr Format kFloat = {24, -125};
inline constexpr Format kDouble = {53, -1021};
inline constexpr Format kHalf = {11, -13};
inline constexpr Format kBFloat16 = {8, -125};

// A bound of the error of a wave, the long double sine or cosine of an angle that is a position times a power: the
// angle is off by three roundings, and the wave by one more and libm's. A long double has 64 digits at least.
inline long double WaveSlack(long double angle, long double wave) {
  return 0x1p-62L * (std::fabs(angle) + std::fabs(wave));
}

// Expects elements to be the reference rounded to nearest, ties to even, where a reference that is off by up to slack
// decides it, which is where the elements on both sides of that agree; the others are counted as undecided.
class RoundingCheck {
 public:
  explicit RoundingCheck(Format format) : format_(format) {}
  RoundingCheck(const RoundingCheck&) = delete;
  RoundingCheck& operator=(const RoundingCheck&) = delete;
  ~RoundingCheck();

  void Check(long double reference, long double slack, long double got, const std::string& where);

 private:
  const Format format_;
  int checked_ = 0;
  int undecided_ = 0;
};

}  // namespace posenc::cli_test

#endif  // POSENC_TESTS_CLI_ROUNDING_H_
