// The picture being drawn: rectangles and texts go in, rows of RGB bytes come out.

#include "src/cli/canvas.h"

#include <algorithm>

namespace posenc::cli {
namespace {

// Calls dot_at(column, row) for every set dot of text, in columns from its left and rows from its top.
template <class DotAt>
void ForEachDot(std::string_view text, const DotAt& dot_at) {
  int left = 0;
  for (const char character : text) {
    for (int row = 0; row < kGlyphRows; ++row) {
      for (int column = 0; column < kGlyphColumns; ++column) {
        if (GlyphDot(character, column, row)) dot_at(left + column, row);
      }
    }
    left += kGlyphAdvance;
  }
}

}  // namespace

Canvas::Canvas(int width, int height, Color background)
    : width_(width), height_(height), bytes_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
  Fill(0, 0, width, height, background);
}

void Canvas::Fill(int x, int y, int width, int height, Color color) noexcept {
  const int right = std::min(x + width, width_);
  const int bottom = std::min(y + height, height_);
  for (int py = std::max(y, 0); py < bottom; ++py) {
    for (int px = std::max(x, 0); px < right; ++px) {
      std::uint8_t* const pixel = &bytes_[Offset(px, py)];
      pixel[0] = color.red;
      pixel[1] = color.green;
      pixel[2] = color.blue;
    }
  }
}

void Canvas::Text(int x, int y, std::string_view text, int dot, Color color) noexcept {
  ForEachDot(text, [&](int column, int row) { Fill(x + column * dot, y + row * dot, dot, dot, color); });
}

void Canvas::TextUpward(int x, int y, std::string_view text, int dot, Color color) noexcept {
  ForEachDot(text, [&](int column, int row) { Fill(x + row * dot, y - (column + 1) * dot, dot, dot, color); });
}

}  // namespace posenc::cli
