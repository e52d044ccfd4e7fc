// Test room rounding, the parts that need no template: exact values of the 16-bit types and the text of a failure.

#include "tests/rounding.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace posenc::test {

double ToDouble(float value) { return static_cast<double>(value); }

double ToDouble(double value) { return value; }

double ToDouble(Half value) {
  const double sign = (value.bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = (value.bits >> 10) & 31;
  const int fraction = value.bits & 1023;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double ToDouble(BFloat16 value) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16));
}

std::string Describe(double value, std::uint64_t bits, int digits) {
  char text[80];
  std::snprintf(text, sizeof(text), "%a (0x%0*llX)", value, digits, static_cast<unsigned long long>(bits));
  return text;
}

}  // namespace posenc::test
