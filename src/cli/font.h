// A small font: a character goes in, its dots come out. Printable ASCII, dots in a cell of kGlyphColumns by kGlyphRows.

#ifndef POSENC_SRC_CLI_FONT_H_
#define POSENC_SRC_CLI_FONT_H_

namespace posenc::cli {

inline constexpr int kGlyphColumns = 5;
inline constexpr int kGlyphRows = 9;
inline constexpr int kGlyphBaseline = 7;  // rows above the base line; capitals and digits have this height
inline constexpr int kGlyphAdvance = 6;   // columns from one character to the next

// Whether the dot is set. False outside the cell; a character that is not printable ASCII is drawn as '?'.
bool GlyphDot(char character, int column, int row) noexcept;

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_FONT_H_
