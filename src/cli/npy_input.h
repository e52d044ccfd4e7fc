// Arrays of .npy files: an open file goes in, what its header says comes out, and the file stands at its data.

#ifndef POSENC_SRC_CLI_NPY_INPUT_H_
#define POSENC_SRC_CLI_NPY_INPUT_H_

#include <cstdint>
#include <string_view>

#include "src/cli/input_file.h"
#include "src/cli/npy_parse.h"
#include "src/cli/outcome.h"

namespace posenc::cli {

// Reads the header of file and nothing beyond it. A regular file must hold the data that the header announces and not
// a byte more. *data_offset is where they begin. numbers is that of ParseNpyHeader.
Outcome ReadNpyHeader(InputFile* file, std::string_view numbers, NpyArray* array, std::uint64_t* data_offset);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_NPY_INPUT_H_
