// An axis of real values: the range of the values goes in, places on the axis and round ticks come out.

#ifndef POSENC_SRC_CLI_VALUE_AXIS_H_
#define POSENC_SRC_CLI_VALUE_AXIS_H_

#include <string>
#include <vector>

namespace posenc::cli {

class ValueAxis {
 public:
  // Finite values, lowest <= highest. The axis is a little longer than their range, and much longer where that is below
  // 2^-20 of the values: what is drawn on it is flat.
  ValueAxis(double lowest, double highest) noexcept;

  // Where a value stands: 0 is the lower end, 1 the upper one.
  double At(double value) const noexcept { return (value / unit_ - low_) / (high_ - low_); }

  struct Mark {
    double at = 0.0;
    std::string label;
  };
  // Multiples of 1, 2 or 5 times a power of ten, at least least_gap apart, in ascending order.
  std::vector<Mark> Marks(double least_gap) const;

 private:
  int exponent_ = 0;  // of the power of ten that is unit_
  double unit_ = 1.0;
  double low_ = 0.0;  // the ends, in units: below 32 in absolute value
  double high_ = 1.0;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_VALUE_AXIS_H_
