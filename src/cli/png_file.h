// Pictures as PNG: a canvas goes in, a complete file comes out.

#ifndef POSENC_SRC_CLI_PNG_FILE_H_
#define POSENC_SRC_CLI_PNG_FILE_H_

#include <string>

#include "src/cli/canvas.h"
#include "src/cli/outcome.h"

namespace posenc::cli {

// title, of ASCII characters, goes into the file's text chunks, beside the name of this program.
Outcome WritePng(const Canvas& canvas, const std::string& title, const std::string& path);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_PNG_FILE_H_
