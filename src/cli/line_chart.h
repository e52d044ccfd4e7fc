// A line chart: a curve and the texts of its axes go in, a picture comes out.

#ifndef POSENC_SRC_CLI_LINE_CHART_H_
#define POSENC_SRC_CLI_LINE_CHART_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/cli/canvas.h"
#include "src/cli/curve.h"

namespace posenc::cli {

struct LineChart {
  std::string title;
  std::string across_title;
  std::string up_title;
  // The integers that places across stand for: lowest at 0, lowest + span at 1, an int64. With a span of 0 there is one
  // place, in the middle.
  std::int64_t lowest = 0;
  std::uint64_t span = 0;
};

// A picture of width by height pixels, which are in kSmallestPicture .. kLargestPicture. The curve has a point, and its
// values are finite.
Canvas DrawLineChart(const LineChart& chart, const Curve& curve, std::size_t width, std::size_t height);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_LINE_CHART_H_
