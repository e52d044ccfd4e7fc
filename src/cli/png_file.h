// Pictures as PNG: a canvas and an open output go in, a complete file comes out.

#ifndef POSENC_SRC_CLI_PNG_FILE_H_
#define POSENC_SRC_CLI_PNG_FILE_H_

#include <string>

#include "src/cli/canvas.h"
#include "src/cli/outcome.h"
#include "src/cli/output_file.h"

namespace posenc::cli {

// Writes and commits file. title, of ASCII characters, goes into its text chunks, beside the name of this program.
Outcome WritePng(const Canvas& canvas, const std::string& title, OutputFile* file);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_PNG_FILE_H_
