// posenc plot: an encoder and positions go in, a picture of the table comes out.

#ifndef POSENC_SRC_CLI_PLOT_H_
#define POSENC_SRC_CLI_PLOT_H_

#include <cstddef>
#include <string>

#include "posenc/posenc.h"
#include "src/cli/chart.h"
#include "src/cli/outcome.h"
#include "src/cli/position_range.h"

namespace posenc::cli {

// Draws positions down and dimensions across and writes the picture to path as a PNG of at most width by height pixels,
// which are in kSmallestPicture .. kLargestPicture. Elements that have room are rectangles of whole pixels, and the
// picture takes only the room they need; otherwise a pixel is the mean of what it covers. There is a position at least.
// path is opened before anything is drawn. title stands above the cells.
Outcome PlotToPng(const Encoder& encoder, const PositionRange& positions, const std::string& title, std::size_t width,
                  std::size_t height, const std::string& path);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_PLOT_H_
