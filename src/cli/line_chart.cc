// A line chart: a curve and the texts of its axes go in, a picture comes out.

#include "src/cli/line_chart.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "src/cli/chart.h"
#include "src/cli/ticks.h"
#include "src/cli/value_axis.h"

namespace posenc::cli {
namespace {

constexpr Color kGrid = {0xE6, 0xE8, 0xEB};
constexpr Color kCurve = {0x1F, 0x5F, 0xA8};

// Pixels of the box, from its left and its upper edge.
int PixelAcross(double at, const Box& box) noexcept { return static_cast<int>(std::lround(at * (box.width - 1))); }
int PixelDown(double at, const Box& box) noexcept {
  return static_cast<int>(std::lround((1.0 - at) * (box.height - 1)));
}

std::vector<Tick> TicksLeft(const std::vector<ValueAxis::Mark>& marks, const Box& box) {
  std::vector<Tick> ticks;
  for (const ValueAxis::Mark& mark : marks) ticks.push_back({PixelDown(mark.at, box), mark.label});
  return ticks;
}

std::int64_t Highest(const LineChart& chart) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(chart.lowest) + chart.span);
}

// Of the labels below.
int WidestBelow(const LineChart& chart, int dot) {
  return std::max(TextWidth(std::to_string(chart.lowest), dot), TextWidth(std::to_string(Highest(chart)), dot));
}

std::vector<Tick> TicksBelow(const LineChart& chart, const Box& box, int dot) {
  if (chart.span == 0) return {{box.width / 2, std::to_string(chart.lowest)}};
  const double pixels = (box.width - 1) / static_cast<double>(chart.span);  // from an integer to the next
  const int least_gap = WidestBelow(chart, dot) + 3 * kGlyphAdvance * dot;
  std::vector<Tick> ticks;
  int free_from = -box.x;  // where no label stands yet
  for (const std::int64_t integer : RoundTicks(chart.lowest, chart.span, least_gap / pixels)) {
    const std::uint64_t distance = static_cast<std::uint64_t>(integer) - static_cast<std::uint64_t>(chart.lowest);
    Tick tick{PixelAcross(static_cast<double>(distance) / static_cast<double>(chart.span), box),
              std::to_string(integer)};
    // The largest step between ticks, 5e18, is too small for the widest labels in the smallest picture.
    const int half = TextWidth(tick.label, dot) / 2;
    if (tick.at - half < free_from) {
      tick.label.clear();
    } else {
      free_from = tick.at + half + kGlyphAdvance * dot;
    }
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

void DrawGrid(std::span<const Tick> below, std::span<const Tick> left, const Box& box, int dot, Canvas* canvas) {
  for (const Tick& tick : below) canvas->Fill(box.x + tick.at - dot / 2, box.y, dot, box.height, kGrid);
  for (const Tick& tick : left) canvas->Fill(box.x, box.y + tick.at - dot / 2, box.width, dot, kGrid);
}

void DrawCurve(const Curve& curve, const ValueAxis& values, const Box& box, int dot, Canvas* canvas) {
  const std::span<const Curve::Range> columns = curve.columns();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].lowest > columns[c].highest) continue;
    const double at = (static_cast<double>(c) + 0.5) / static_cast<double>(columns.size());
    const int top = PixelDown(values.At(columns[c].highest), box);
    const int bottom = PixelDown(values.At(columns[c].lowest), box);
    canvas->Fill(box.x + PixelAcross(at, box) - dot / 2, box.y + top - dot / 2, dot, bottom - top + dot, kCurve);
  }
}

// Squares on points that stand well apart.
void DrawPoints(const Curve& curve, const ValueAxis& values, const Box& box, int dot, Canvas* canvas) {
  const std::span<const Curve::Point> points = curve.points();
  const int side = 5 * dot;
  if (points.size() * 2 * static_cast<std::size_t>(side) > static_cast<std::size_t>(box.width)) return;
  for (const Curve::Point& point : points) {
    canvas->Fill(box.x + PixelAcross(point.at, box) - side / 2,
                 box.y + PixelDown(values.At(point.value), box) - side / 2, side, side, kCurve);
  }
}

}  // namespace

Canvas DrawLineChart(const LineChart& chart, const Curve& curve, std::size_t width, std::size_t height) {
  const int picture_width = static_cast<int>(width);
  const int picture_height = static_cast<int>(height);
  const Ruler ruler = RulerOf(picture_width, picture_height);
  const int dot = ruler.dot;
  const ValueAxis values(curve.whole().lowest, curve.whole().highest);

  // The labels at the left decide how wide the title may be, and its lines how high the box is, which decides how many
  // labels there are. More room than a title of one line leaves is never needed for them.
  Box box;
  const auto marks_for = [&](int lines) {
    box.y = ruler.above(lines);
    box.height = std::max(picture_height - box.y - ruler.below(), 1);
    return values.Marks(2.6 * ruler.text() / box.height);
  };
  const auto place_across = [&](const std::vector<ValueAxis::Mark>& marks) {
    std::size_t characters = 1;
    for (const ValueAxis::Mark& mark : marks) characters = std::max(characters, mark.label.size());
    const int half_label = WidestBelow(chart, dot) / 2 + ruler.gap();
    box.x = std::max(ruler.left(static_cast<int>(characters)), half_label);
    box.width = std::max(picture_width - box.x - std::max(2 * ruler.margin(), half_label), 1);
  };
  std::vector<ValueAxis::Mark> marks = marks_for(1);
  place_across(marks);
  const std::vector<std::string> title = TitleLines(chart.title, dot, box.width + ruler.margin());
  if (title.size() > 1) {
    marks = marks_for(static_cast<int>(title.size()));
    place_across(marks);
  }

  const std::vector<Tick> left = TicksLeft(marks, box);
  const std::vector<Tick> below = TicksBelow(chart, box, dot);
  Canvas canvas(picture_width, picture_height, kPaper);
  DrawGrid(below, left, box, dot, &canvas);
  DrawCurve(curve, values, box, 2 * dot, &canvas);
  DrawPoints(curve, values, box, dot, &canvas);
  DrawBorder(box, dot, &canvas);
  DrawAxisBelow(box, ruler, below, chart.across_title, &canvas);
  DrawAxisLeft(box, ruler, left, chart.up_title, &canvas);
  DrawTitle(title, box.x, ruler, &canvas);
  return canvas;
}

}  // namespace posenc::cli
