// The picture being drawn: rectangles and texts go in, rows of RGB bytes come out.

#ifndef POSENC_SRC_CLI_CANVAS_H_
#define POSENC_SRC_CLI_CANVAS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/cli/font.h"

namespace posenc::cli {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

// Coordinates are pixels from the upper left corner. What lies outside the picture is not drawn.
class Canvas {
 public:
  Canvas(int width, int height, Color background);

  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }
  const std::uint8_t* row(int y) const noexcept { return &bytes_[Offset(0, y)]; }  // width() times red, green, blue

  void Fill(int x, int y, int width, int height, Color color) noexcept;

  // The upper left corner of the first character's cell is at (x, y); a dot of the font is dot by dot pixels.
  void Text(int x, int y, std::string_view text, int dot, Color color) noexcept;
  // The same, read from bottom to top: the text starts at the lower left corner (x, y) of its column.
  void TextUpward(int x, int y, std::string_view text, int dot, Color color) noexcept;

 private:
  std::size_t Offset(int x, int y) const noexcept {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 3;
  }

  const int width_;
  const int height_;
  std::vector<std::uint8_t> bytes_;
};

// Pixels from the left of the first dot to the right of the last.
constexpr int TextWidth(std::string_view text, int dot) noexcept {
  return text.empty() ? 0 : (static_cast<int>(text.size()) * kGlyphAdvance - (kGlyphAdvance - kGlyphColumns)) * dot;
}

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_CANVAS_H_
