// An axis of real values: the range of the values goes in, places on the axis and round ticks come out.

#include "src/cli/value_axis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/cli/numbers.h"
#include "src/cli/ticks.h"

namespace posenc::cli {
namespace {

// Values below it are drawn as zeros: their powers of ten end near here.
constexpr double kSmallest = 1e-300;

constexpr double kFlat = 0x1p-20;

}  // namespace

ValueAxis::ValueAxis(double lowest, double highest) noexcept {
  const double largest = std::max(std::fabs(lowest), std::fabs(highest));
  if (largest >= kSmallest) {
    exponent_ = static_cast<int>(std::floor(std::log10(largest)));
    unit_ = std::pow(10.0, exponent_);
  }
  low_ = lowest / unit_;
  high_ = highest / unit_;
  const double middle = (low_ + high_) / 2.0;
  double pad = 0.04 * (high_ - low_);
  if (high_ - low_ < kFlat) pad = largest >= kSmallest ? std::fabs(middle) / 2.0 : 1.0;
  low_ -= pad;
  high_ += pad;
}

std::vector<ValueAxis::Mark> ValueAxis::Marks(double least_gap) const {
  // Integers of 10^-digits units: the axis has a million or more of them, and its ends are below 2^63.
  const int digits = 6 - static_cast<int>(std::floor(std::log10(high_ - low_)));
  const double steps = std::pow(10.0, digits);
  const double first = std::ceil(low_ * steps);
  const std::uint64_t span = static_cast<std::uint64_t>(std::floor(high_ * steps) - first);
  std::vector<Mark> marks;
  for (const std::int64_t tick :
       RoundTicks(static_cast<std::int64_t>(first), span, least_gap * (high_ - low_) * steps)) {
    // Read as a decimal number, a tick is printed as one.
    double value = 0.0;
    const std::string decimal = std::to_string(tick) + "e" + std::to_string(exponent_ - digits);
    if (ParseNumber(decimal, &value) == NumberError::kNone) marks.push_back({At(value), FormatNumber(value)});
  }
  return marks;
}

}  // namespace posenc::cli
