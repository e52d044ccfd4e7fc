// Rounding to an element type: a reference with an error bound and an element go in; a difference is a test failure.

#include "tests/cli/rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace posenc::cli_test {
namespace {

long double Round(long double value, const Format& format) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent, format.least_exponent) - format.digits);
  return std::nearbyint(value / unit) * unit;
}

}  // namespace

RoundingCheck::~RoundingCheck() { EXPECT_LT(undecided_ * 4, checked_) << "the reference decides too little"; }

void RoundingCheck::Check(long double reference, long double slack, long double got, const std::string& where) {
  const long double low = Round(reference - slack, format_);
  const long double high = Round(reference + slack, format_);
  ++checked_;
  if (low != high) {
    ++undecided_;
    EXPECT_LE(low, got) << where;
    EXPECT_GE(high, got) << where;
  } else {
    EXPECT_EQ(low, got) << where;
  }
}

}  // namespace posenc::cli_test
