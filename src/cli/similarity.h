// posenc similarity: options go in, the dot products of encodings by their offset come out, as numbers or as a picture.

#ifndef POSENC_SRC_CLI_SIMILARITY_H_
#define POSENC_SRC_CLI_SIMILARITY_H_

#include <optional>
#include <string>

#include "src/cli/outcome.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {

struct SimilarityTexts {
  SpecTexts spec;
  std::optional<std::string> offsets;  // A:B[:STEP]; it has been given
  std::optional<std::string> format;   // without one, the ending of the output says it
  std::optional<std::string> width;
  std::optional<std::string> height;
  std::string output;
};

// Numbers are written a block at a time, whatever their number. A picture looks at every offset, or at evenly spaced
// ones where their cosines would be more than 2^28.
Outcome WriteSimilarity(const SimilarityTexts& texts);

// The formats, as a sentence lists them.
std::string SimilarityFormatNames();

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_SIMILARITY_H_
