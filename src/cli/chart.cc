// What pictures with axes share: a box, ticks and texts go in, their pixels on a canvas come out.

#include "src/cli/chart.h"

#include <algorithm>

namespace posenc::cli {
namespace {

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

}  // namespace

Ruler RulerOf(int most_width, int most_height) noexcept {
  return {.dot = std::max(1, std::min(most_width / 500, most_height / 380))};
}

std::vector<std::string> TitleLines(std::string_view title, int dot, int width) {
  std::vector<std::string> lines = BreakLines(title, ", ", dot, width);
  const bool fit = std::ranges::all_of(lines, [&](const std::string& line) { return TextWidth(line, dot) <= width; });
  return fit ? lines : BreakLines(title, " ", dot, width);
}

int TextTop(int y, int dot) noexcept { return y - kGlyphBaseline * dot / 2; }

void DrawTitle(std::span<const std::string> lines, int x, const Ruler& ruler, Canvas* canvas) {
  int y = ruler.margin();
  for (const std::string& line : lines) {
    canvas->Text(x, y, line, ruler.dot, kInk);
    y += ruler.line_step();
  }
}

void DrawBorder(const Box& box, int dot, Canvas* canvas) {
  canvas->Fill(box.x - dot, box.y - dot, box.width + 2 * dot, dot, kLine);
  canvas->Fill(box.x - dot, box.y + box.height, box.width + 2 * dot, dot, kLine);
  canvas->Fill(box.x - dot, box.y, dot, box.height, kLine);
  canvas->Fill(box.x + box.width, box.y, dot, box.height, kLine);
}

void DrawAxisBelow(const Box& box, const Ruler& ruler, std::span<const Tick> ticks, std::string_view title,
                   Canvas* canvas) {
  const int dot = ruler.dot;
  const int axis_y = box.y + box.height + dot;
  const int text_y = axis_y + ruler.tick() + ruler.gap();
  for (const Tick& tick : ticks) {
    const int x = box.x + tick.at;
    canvas->Fill(x - dot / 2, axis_y, dot, ruler.tick(), kLine);
    canvas->Text(x - TextWidth(tick.label, dot) / 2, text_y, tick.label, dot, kInk);
  }
  const int center = box.x + box.width / 2;
  canvas->Text(center - TextWidth(title, dot) / 2, text_y + ruler.text() + ruler.gap(), title, dot, kInk);
}

void DrawAxisLeft(const Box& box, const Ruler& ruler, std::span<const Tick> ticks, std::string_view title,
                  Canvas* canvas) {
  const int dot = ruler.dot;
  const int axis_x = box.x - dot;
  for (const Tick& tick : ticks) {
    const int y = box.y + tick.at;
    canvas->Fill(axis_x - ruler.tick(), y - dot / 2, ruler.tick(), dot, kLine);
    canvas->Text(axis_x - ruler.tick() - ruler.gap() - TextWidth(tick.label, dot), TextTop(y, dot), tick.label, dot,
                 kInk);
  }
  const int center = box.y + box.height / 2;
  canvas->TextUpward(ruler.margin(), center + TextWidth(title, dot) / 2, title, dot, kInk);
}

}  // namespace posenc::cli
