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
#include "src/cli/color_map.h"
#include "src/cli/heat_map.h"
#include "src/cli/numbers.h"
#include "src/cli/png_file.h"
#include "src/cli/spec_options.h"
#include "src/cli/ticks.h"

namespace posenc::cli {
namespace {

constexpr Color kPaper = {0xFF, 0xFF, 0xFF};
constexpr Color kInk = {0x22, 0x26, 0x2B};
constexpr Color kLine = {0x6B, 0x72, 0x7A};
constexpr std::array<double, 5> kBarTicks = {1.0, 0.5, 0.0, -0.5, -1.0};  // in units of the amplitude

struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Lengths in pixels. A dot is a dot of the font; all margins are multiples of it.
struct Frame {
  int dot = 1;
  int width = 0;  // of the picture
  int height = 0;
  Box heat;  // the cells
  Box bar;   // the colour bar
  HeatMap map;
  std::vector<std::string> title;  // lines
  int line_step() const noexcept { return (kGlyphRows + 2) * dot; }
  int margin() const noexcept { return 9 * dot; }
  int tick() const noexcept { return 3 * dot; }
  int gap() const noexcept { return 3 * dot; }
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

Labels LabelsOf(const Encoder& encoder, const PositionRange& positions) {
  Labels labels;
  labels.title = Describe(encoder.spec(), positions);
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

// Breaks text after separators so that no line is wider than width pixels, if what lies between them allows that.
std::vector<std::string> BreakLines(std::string_view text, std::string_view separator, int dot, int width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, std::min(end + separator.size(), text.size()));
    // The blank that ends a part may hang over the edge.
    const bool fits = TextWidth(lines.back(), dot) + TextWidth(part, dot) <= width;
    if (!fits && !lines.back().empty()) lines.emplace_back();
    lines.back() += part;
    text.remove_prefix(part.size());
  }
  return lines;
}

std::vector<std::string> TitleLines(std::string_view title, int dot, int width) {
  std::vector<std::string> lines = BreakLines(title, ", ", dot, width);
  const bool fit = std::ranges::all_of(lines, [&](const std::string& line) { return TextWidth(line, dot) <= width; });
  return fit ? lines : BreakLines(title, " ", dot, width);
}

int TextColumns(int characters, int dot) noexcept { return characters * kGlyphAdvance * dot; }

// Whole pixels a cell: as many as there is room for.
int CellPixels(int room, std::uint64_t cells) noexcept {
  return static_cast<int>(static_cast<std::uint64_t>(room) / cells);
}

// Margins follow from the texts, and the cells take what is left. A title that needs another line takes it from them.
Frame LayOut(const Labels& labels, std::uint64_t dim, std::uint64_t rows, int most_width, int most_height) {
  Frame frame;
  frame.dot = std::max(1, std::min(most_width / 500, most_height / 380));
  const int text = kGlyphRows * frame.dot;
  const int left = frame.margin() + text + 2 * frame.gap() + TextColumns(labels.position_characters, frame.dot) +
                   frame.gap() + frame.tick();
  const int bar_gap = 10 * frame.dot;
  const int bar_width = 9 * frame.dot;
  const int right =
      bar_gap + bar_width + frame.tick() + frame.gap() + TextColumns(labels.bar_characters, frame.dot) + frame.margin();
  const int bottom = frame.tick() + frame.gap() + text + frame.gap() + text + frame.margin();
  std::size_t lines = 1;
  for (;;) {
    const int top = frame.margin() + static_cast<int>(lines) * frame.line_step() + 2 * frame.gap();
    const int room_width = std::max(most_width - left - right, 1);
    const int room_height = std::max(most_height - top - bottom, 1);
    frame.map = PlanHeatMap(dim, rows, static_cast<std::uint64_t>(room_width), static_cast<std::uint64_t>(room_height));
    frame.heat = {left, top, CellPixels(room_width, frame.map.columns) * static_cast<int>(frame.map.columns),
                  CellPixels(room_height, frame.map.rows) * static_cast<int>(frame.map.rows)};
    frame.width = left + frame.heat.width + right;
    frame.height = top + frame.heat.height + bottom;
    frame.title = TitleLines(labels.title, frame.dot, frame.width - left - frame.margin());
    if (frame.title.size() <= lines) break;
    lines = frame.title.size();
  }
  frame.bar = {left + frame.heat.width + bar_gap, frame.heat.y, bar_width, frame.heat.height};
  return frame;
}

// A line of one dot around box.
void DrawBorder(const Box& box, int dot, Canvas* canvas) {
  canvas->Fill(box.x - dot, box.y - dot, box.width + 2 * dot, dot, kLine);
  canvas->Fill(box.x - dot, box.y + box.height, box.width + 2 * dot, dot, kLine);
  canvas->Fill(box.x - dot, box.y, dot, box.height, kLine);
  canvas->Fill(box.x + box.width, box.y, dot, box.height, kLine);
}

// The upper edge of a text whose capitals are centred on y.
int TextTop(int y, int dot) noexcept { return y - kGlyphBaseline * dot / 2; }

void DrawDimensionAxis(const Frame& frame, std::uint64_t dim, Canvas* canvas) {
  const int dot = frame.dot;
  const int bottom = frame.heat.y + frame.heat.height;
  const double pixels = static_cast<double>(frame.heat.width) / static_cast<double>(dim);  // a dimension
  const int widest = TextWidth(std::to_string(dim - 1), dot);
  const int text_y = bottom + frame.tick() + frame.gap();
  for (const std::int64_t tick : RoundTicks(0, dim - 1, (widest + 3 * kGlyphAdvance * dot) / pixels)) {
    const int x = frame.heat.x + static_cast<int>((static_cast<double>(tick) + 0.5) * pixels);
    canvas->Fill(x - dot / 2, bottom + dot, dot, frame.tick(), kLine);
    const std::string label = std::to_string(tick);
    canvas->Text(x - TextWidth(label, dot) / 2, text_y + dot, label, dot, kInk);
  }
  constexpr std::string_view kTitle = "dimension";
  const int center = frame.heat.x + frame.heat.width / 2;
  canvas->Text(center - TextWidth(kTitle, dot) / 2, text_y + kGlyphRows * dot + frame.gap() + dot, kTitle, dot, kInk);
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

void DrawPositionAxis(const Frame& frame, const Labels& labels, const PositionRange& positions, Canvas* canvas) {
  const int dot = frame.dot;
  const double pixels = static_cast<double>(frame.heat.height) / static_cast<double>(positions.count);  // a row
  const int axis_x = frame.heat.x - dot;
  for (const std::uint64_t row : TickRows(labels, positions, 2.6 * kGlyphRows * dot / pixels)) {
    const int y = frame.heat.y + static_cast<int>((static_cast<double>(row) + 0.5) * pixels);
    canvas->Fill(axis_x - frame.tick(), y - dot / 2, frame.tick(), dot, kLine);
    const std::string label = std::to_string(positions.at(row));
    canvas->Text(axis_x - frame.tick() - frame.gap() - TextWidth(label, dot), TextTop(y, dot), label, dot, kInk);
  }
  constexpr std::string_view kTitle = "position";
  const int center = frame.heat.y + frame.heat.height / 2;
  canvas->TextUpward(frame.margin(), center + TextWidth(kTitle, dot) / 2, kTitle, dot, kInk);
}

void DrawColorBar(const Frame& frame, const Labels& labels, const ColorMap& colors, Canvas* canvas) {
  const Box& bar = frame.bar;
  for (int y = 0; y < bar.height; ++y) {
    const double value = bar.height == 1 ? 0.0 : 1.0 - 2.0 * y / (bar.height - 1.0);
    canvas->Fill(bar.x, bar.y + y, bar.width, 1, colors.At(value));
  }
  DrawBorder(bar, frame.dot, canvas);
  const int axis_x = bar.x + bar.width + frame.dot;
  for (const double tick : kBarTicks) {
    const int y = bar.y + static_cast<int>(std::lround((1.0 - tick) / 2.0 * (bar.height - 1)));
    canvas->Fill(axis_x, y - frame.dot / 2, frame.tick(), frame.dot, kLine);
    const std::string label = BarLabel(tick * labels.largest);
    // Signs hang to the left, so that the digits stand below each other.
    const int indent = label.front() == '-' ? 0 : kGlyphAdvance * frame.dot;
    canvas->Text(axis_x + frame.tick() + frame.gap() + indent, TextTop(y, frame.dot), label, frame.dot, kInk);
  }
}

}  // namespace

Outcome PlotToPng(const Encoder& encoder, const PositionRange& positions, std::size_t width, std::size_t height,
                  const std::string& path) {
  if (positions.count == 0) return BadCommandLine("--positions must hold at least one position to plot");
  const std::uint64_t dim = encoder.spec().dim;
  const Labels labels = LabelsOf(encoder, positions);
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

  DrawBorder(frame.heat, frame.dot, &canvas);
  DrawDimensionAxis(frame, dim, &canvas);
  DrawPositionAxis(frame, labels, positions, &canvas);
  DrawColorBar(frame, labels, colors, &canvas);
  int y = frame.margin();
  for (const std::string& line : frame.title) {
    canvas.Text(frame.heat.x, y, line, frame.dot, kInk);
    y += frame.line_step();
  }
  return WritePng(canvas, labels.title, path);
}

}  // namespace posenc::cli
