// What pictures with axes share: a box, ticks and texts go in, their pixels on a canvas come out.

#ifndef POSENC_SRC_CLI_CHART_H_
#define POSENC_SRC_CLI_CHART_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/canvas.h"
#include "src/cli/font.h"

namespace posenc::cli {

inline constexpr std::size_t kSmallestPicture = 240;  // pixels, of a side
inline constexpr std::size_t kLargestPicture = 4000;  // three bytes a pixel: 48 MB

inline constexpr Color kPaper = {0xFF, 0xFF, 0xFF};
inline constexpr Color kInk = {0x22, 0x26, 0x2B};
inline constexpr Color kLine = {0x6B, 0x72, 0x7A};

// Where the data stand, in pixels; a border of one dot lies around it.
struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Lengths in pixels. A dot is a dot of the font; all margins are multiples of it.
struct Ruler {
  int dot = 1;
  int text() const noexcept { return kGlyphRows * dot; }
  int line_step() const noexcept { return (kGlyphRows + 2) * dot; }
  int margin() const noexcept { return 9 * dot; }
  int tick() const noexcept { return 3 * dot; }
  int gap() const noexcept { return 3 * dot; }
  int columns(int characters) const noexcept { return characters * kGlyphAdvance * dot; }

  // What axes and title need around the box: at the left with labels of that many characters, above with that many
  // lines, and below.
  int left(int characters) const noexcept {
    return margin() + text() + 2 * gap() + columns(characters) + gap() + tick();
  }
  int above(int lines) const noexcept { return margin() + lines * line_step() + 2 * gap(); }
  int below() const noexcept { return tick() + gap() + text() + gap() + text() + margin(); }
};

// A dot that suits a picture of at most that size.
Ruler RulerOf(int most_width, int most_height) noexcept;

// The lines of a title, broken at commas, or at blanks where that does not suffice.
std::vector<std::string> TitleLines(std::string_view title, int dot, int width);

// A tick of an axis, in pixels from the left or the upper edge of the box.
struct Tick {
  int at = 0;
  std::string label;
};

// The upper edge of a text whose capitals are centred on y.
int TextTop(int y, int dot) noexcept;

void DrawTitle(std::span<const std::string> lines, int x, const Ruler& ruler, Canvas* canvas);
// A line of one dot around box.
void DrawBorder(const Box& box, int dot, Canvas* canvas);
void DrawAxisBelow(const Box& box, const Ruler& ruler, std::span<const Tick> ticks, std::string_view title,
                   Canvas* canvas);
void DrawAxisLeft(const Box& box, const Ruler& ruler, std::span<const Tick> ticks, std::string_view title,
                  Canvas* canvas);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_CHART_H_
