// A curve in a fixed number of columns: points go in, one after another, the range of each column comes out.

#include "src/cli/curve.h"

#include <algorithm>
#include <cmath>

namespace posenc::cli {

Curve::Curve() : columns_(kColumns) {}

void Curve::Extend(std::size_t column, double value) noexcept {
  for (Range* const range : {&columns_[column], &whole_}) {
    range->lowest = std::min(range->lowest, value);
    range->highest = std::max(range->highest, value);
  }
}

void Curve::Add(double at, double value) {
  const auto column_of = [](double place) {
    return std::min(static_cast<std::size_t>(place * static_cast<double>(kColumns)), kColumns - 1);
  };
  const std::size_t column = column_of(at);
  if (count_ > 0) {
    // Borders of columns between the two points: the line has the same value on both sides of each.
    for (std::size_t c = column_of(last_.at); c < column; ++c) {
      const double border = static_cast<double>(c + 1) / static_cast<double>(kColumns);
      // Each end has its own term, so that the sum cannot leave the range of doubles.
      const double share = std::clamp((border - last_.at) / (at - last_.at), 0.0, 1.0);
      const double on_border = last_.value * (1.0 - share) + value * share;
      Extend(c, on_border);
      Extend(c + 1, on_border);
    }
  }
  Extend(column, value);
  last_ = {at, value};
  if (++count_ <= kMostPoints) points_.push_back(last_);
}

}  // namespace posenc::cli
