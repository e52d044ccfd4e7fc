// Options that name a range of positions: their texts and a preset go in, the range comes out.

#ifndef POSENC_SRC_CLI_POSITION_OPTIONS_H_
#define POSENC_SRC_CLI_POSITION_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/cli/outcome.h"
#include "src/cli/position_range.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {

struct PositionTexts {
  std::optional<std::string> positions;  // A:B[:STEP]
  std::optional<std::string> length;
};

// The range of whichever of the two was given; one of them was. --positions is taken as it is; --length is that of a
// sequence, which the preset of texts begins and orders as its program does.
Outcome ReadPositions(const PositionTexts& positions, const SpecTexts& texts, PositionRange* range);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_POSITION_OPTIONS_H_
