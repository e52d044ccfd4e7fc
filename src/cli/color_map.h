// Colours of values: a number from -1 to 1 goes in, a colour from blue over near white to red comes out.

#ifndef POSENC_SRC_CLI_COLOR_MAP_H_
#define POSENC_SRC_CLI_COLOR_MAP_H_

#include <array>
#include <cstddef>

#include "src/cli/canvas.h"

namespace posenc::cli {

// Diverging and symmetric: v and -v are equally light, and equal steps of |v| are about equal steps of lightness as the
// eye sees them, so the map also reads in grey.
class ColorMap {
 public:
  ColorMap() noexcept;
  // What lies outside [-1, 1] has the colour of the nearer end; NaN is grey.
  Color At(double value) const noexcept;

 private:
  static constexpr std::size_t kEntries = 1025;  // odd: 0 has an entry of its own
  std::array<Color, kEntries> entries_;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_COLOR_MAP_H_
