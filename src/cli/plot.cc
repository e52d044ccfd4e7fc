// posenc plot: an encoder and positions go in, a picture of the table comes out.

#include "src/cli/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "src/cli/canvas.h"
#include "src/cli/chart.h"
#include "src/cli/color_map.h"
#include "src/cli/heat_map.h"
#include "src/cli/numbers.h"
#include "src/cli/output_file.h"
#include "src/cli/png_file.h"
#include "src/cli/ticks.h"

namespace posenc::cli {
namespace {

constexpr std::array<double, 5> kBarTicks = {1.0, 0.5, 0.0, -0.5, -1.0};  // in units of the amplitude

struct Frame {
  Ruler ruler;
  int width = 0;  // of the picture
  int height = 0;
  Box heat;  // the cells
  Box bar;   // the colour bar
  HeatMap map;
  std::vector<std::string> title;  // lines
};

// What the picture says, apart from its cells.
struct Labels {
  std::string title;
  std::int64_t lowest = 0;      // position
  std::uint64_t span = 0;       // highest position - lowest
  double largest = 1.0;         // value at the upper end of the colour bar
  int position_characters = 1;  // of the longest number on that axis
  int bar_characters = 1;
};

std::string BarLabel(double value) { return FormatNumber(value, 4); }

Labels LabelsOf(const Encoder& encoder, const PositionRange& positions, const std::string& title) {
  Labels labels;
  labels.title = title;
  const double amplitude = std::abs(encoder.spec().amplitude);
  if (amplitude > 0.0) labels.largest = amplitude;
  const std::int64_t first = positions.at(0);
  const std::int64_t last = positions.at(positions.count - 1);
  labels.lowest = std::min(first, last);
  labels.span = static_cast<std::uint64_t>(std::max(first, last)) - static_cast<std::uint64_t>(labels.lowest);
  labels.position_characters = static_cast<int>(std::max(std::to_string(first).size(), std::to_string(last).size()));
  for (const double tick : kBarTicks) {
    labels.bar_characters = std::max(labels.bar_characters, static_cast<int>(BarLabel(tick * labels.largest).size()));
  }
  return labels;
}

// Whole pixels a cell: as many as there is room for.
int CellPixels(int room, std::uint64_t cells) noexcept {
  return static_cast<int>(static_cast<std::uint64_t>(room) / cells);
}

// Margins follow from the texts, and the cells take what is left. A title that needs another line takes it from them.
Frame LayOut(const Labels& labels, std::uint64_t dim, std::uint64_t rows, int most_width, int most_height) {
  Frame frame;
  frame.ruler = RulerOf(most_width, most_height);
  const Ruler& ruler = frame.ruler;
  const int left = ruler.left(labels.position_characters);
  const int bar_gap = 10 * ruler.dot;
  const int bar_width = 9 * ruler.dot;
  const int right =
      bar_gap + bar_width + ruler.tick() + ruler.gap() + ruler.columns(labels.bar_characters) + ruler.margin();
  const int bottom = ruler.below();
  std::size_t lines = 1;
  for (;;) {
    const int top = ruler.above(static_cast<int>(lines));
    const int room_width = std::max(most_width - left - right, 1);
    const int room_height = std::max(most_height - top - bottom, 1);
    frame.map = PlanHeatMap(dim, rows, static_cast<std::uint64_t>(room_width), static_cast<std::uint64_t>(room_height));
    frame.heat = {left, top, CellPixels(room_width, frame.map.columns) * static_cast<int>(frame.map.columns),
                  CellPixels(room_height, frame.map.rows) * static_cast<int>(frame.map.rows)};
    frame.width = left + frame.heat.width + right;
    frame.height = top + frame.heat.height + bottom;
    frame.title = TitleLines(labels.title, ruler.dot, frame.width - left - ruler.margin());
    if (frame.title.size() <= lines) break;
    lines = frame.title.size();
  }
  frame.bar = {left + frame.heat.width + bar_gap, frame.heat.y, bar_width, frame.heat.height};
  return frame;
}

std::vector<Tick> DimensionTicks(const Frame& frame, std::uint64_t dim) {
  const double pixels = static_cast<double>(frame.heat.width) / static_cast<double>(dim);  // a dimension
  const int dot = frame.ruler.dot;
  const int widest = TextWidth(std::to_string(dim - 1), dot);
  std::vector<Tick> ticks;
  for (const std::int64_t tick : RoundTicks(0, dim - 1, (widest + 3 * kGlyphAdvance * dot) / pixels)) {
    ticks.push_back({static_cast<int>((static_cast<double>(tick) + 0.5) * pixels), std::to_string(tick)});
  }
  return ticks;
}

// The rows that get a tick: round positions where positions are consecutive, else every so many rows.
std::vector<std::uint64_t> TickRows(const Labels& labels, const PositionRange& positions, double least_rows) {
  const bool consecutive = positions.step == 1 || positions.step == -1;
  const std::int64_t lowest = consecutive ? labels.lowest : 0;
  const std::uint64_t span = consecutive ? labels.span : positions.count - 1;
  const std::uint64_t origin =
      positions.step == -1 ? static_cast<std::uint64_t>(positions.start) : static_cast<std::uint64_t>(lowest);
  std::vector<std::uint64_t> rows;
  for (const std::int64_t tick : RoundTicks(lowest, span, least_rows)) {
    const std::uint64_t distance = static_cast<std::uint64_t>(tick) - origin;
    rows.push_back(positions.step == -1 ? 0 - distance : distance);
  }
  return rows;
}

std::vector<Tick> PositionTicks(const Frame& frame, const Labels& labels, const PositionRange& positions) {
  const double pixels = static_cast<double>(frame.heat.height) / static_cast<double>(positions.count);  // a row
  std::vector<Tick> ticks;
  for (const std::uint64_t row : TickRows(labels, positions, 2.6 * frame.ruler.text() / pixels)) {
    ticks.push_back({static_cast<int>((static_cast<double>(row) + 0.5) * pixels), std::to_string(positions.at(row))});
  }
  return ticks;
}

void DrawColorBar(const Frame& frame, const Labels& labels, const ColorMap& colors, Canvas* canvas) {
  const Box& bar = frame.bar;
  const int dot = frame.ruler.dot;
  for (int y = 0; y < bar.height; ++y) {
    const double value = bar.height == 1 ? 0.0 : 1.0 - 2.0 * y / (bar.height - 1.0);
    canvas->Fill(bar.x, bar.y + y, bar.width, 1, colors.At(value));
  }
  DrawBorder(bar, dot, canvas);
  const int axis_x = bar.x + bar.width + dot;
  for (const double tick : kBarTicks) {
    const int y = bar.y + static_cast<int>(std::lround((1.0 - tick) / 2.0 * (bar.height - 1)));
    canvas->Fill(axis_x, y - dot / 2, frame.ruler.tick(), dot, kLine);
    const std::string label = BarLabel(tick * labels.largest);
    // Signs hang to the left, so that the digits stand below each other.
    const int indent = label.front() == '-' ? 0 : kGlyphAdvance * dot;
    canvas->Text(axis_x + frame.ruler.tick() + frame.ruler.gap() + indent, TextTop(y, dot), label, dot, kInk);
  }
}

}  // namespace

Outcome PlotToPng(const Encoder& encoder, const PositionRange& positions, const std::string& title, std::size_t width,
                  std::size_t height, const std::string& path) {
  OutputFile file;
  Outcome opened = file.Open(path);
  if (!opened.done()) return opened;

  const std::uint64_t dim = encoder.spec().dim;
  const Labels labels = LabelsOf(encoder, positions, title);
  const Frame frame = LayOut(labels, dim, positions.count, static_cast<int>(width), static_cast<int>(height));

  // Cells in units of the amplitude, which may be one that floats cannot hold.
  Spec unit = encoder.spec();
  if (unit.amplitude != 0.0) unit.amplitude = std::copysign(1.0, unit.amplitude);
  const Result<Encoder> cells = Encoder::Make(unit);
  if (!cells) return Failure(Message(cells.error));

  const ColorMap colors;
  Canvas canvas(frame.width, frame.height, kPaper);
  const int cell_width = frame.heat.width / static_cast<int>(frame.map.columns);
  const int cell_height = frame.heat.height / static_cast<int>(frame.map.rows);
  Outcome drawn =
      ForEachHeatRow(cells.value, positions, frame.map, [&](std::uint64_t row, std::span<const double> values) {
        int x = frame.heat.x;
        for (const double value : values) {
          canvas.Fill(x, frame.heat.y + static_cast<int>(row) * cell_height, cell_width, cell_height, colors.At(value));
          x += cell_width;
        }
      });
  if (!drawn.done()) return drawn;

  DrawBorder(frame.heat, frame.ruler.dot, &canvas);
  DrawAxisBelow(frame.heat, frame.ruler, DimensionTicks(frame, dim), "dimension", &canvas);
  DrawAxisLeft(frame.heat, frame.ruler, PositionTicks(frame, labels, positions), "position", &canvas);
  DrawColorBar(frame, labels, colors, &canvas);
  DrawTitle(frame.title, frame.heat.x, frame.ruler, &canvas);
  return WritePng(canvas, labels.title, &file);
}

}  // namespace posenc::cli
