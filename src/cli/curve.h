// A curve in a fixed number of columns: points go in, one after another, the range of each column comes out.

#ifndef POSENC_SRC_CLI_CURVE_H_
#define POSENC_SRC_CLI_CURVE_H_

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace posenc::cli {

// The straight lines between consecutive points, of which a column keeps the lowest and the highest value: memory does
// not grow with the number of points, and no extreme is lost.
class Curve {
 public:
  // Several columns for each pixel of the widest picture.
  static constexpr std::size_t kColumns = 16384;
  // Points of a curve that may be marked one by one.
  static constexpr std::size_t kMostPoints = 256;

  Curve();

  // at is the place across, from 0 to 1, ascending from point to point; value is finite.
  void Add(double at, double value);

  struct Range {
    double lowest = std::numeric_limits<double>::infinity();  // above highest in a column without a value
    double highest = -std::numeric_limits<double>::infinity();
  };
  std::span<const Range> columns() const noexcept { return columns_; }
  // Of all columns.
  const Range& whole() const noexcept { return whole_; }

  struct Point {
    double at = 0.0;
    double value = 0.0;
  };
  // The points, or none if there are more than kMostPoints.
  std::span<const Point> points() const noexcept {
    return count_ <= kMostPoints ? std::span<const Point>(points_) : std::span<const Point>();
  }

 private:
  void Extend(std::size_t column, double value) noexcept;

  std::vector<Range> columns_;
  Range whole_;
  std::vector<Point> points_;  // the first kMostPoints
  std::size_t count_ = 0;
  Point last_;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_CURVE_H_
