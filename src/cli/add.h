// posenc add: a .npy of rows and options go in, a .npy of the rows with their position encodings added comes out.

#ifndef POSENC_SRC_CLI_ADD_H_
#define POSENC_SRC_CLI_ADD_H_

#include <optional>
#include <string>

#include "src/cli/outcome.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {

struct AddTexts {
  std::string input;  // a path, or - for stdin
  SpecTexts spec;     // without a dim: the last axis of the input
  std::optional<std::string> start;
  std::optional<std::string> step;
  std::optional<std::string> positions_file;
  std::optional<std::string> x_scale;  // a number or sqrt-dim
  std::string output;
};

// Writes an array of the type and shape of the input, [..., L, D], a chunk of rows at a time. Each of the sequences
// that the leading axes number begins anew at the first position.
Outcome AddToNpy(const AddTexts& texts);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_ADD_H_
