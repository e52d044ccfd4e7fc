// Positions of the command line: the text A:B[:STEP] goes in, the rows it stands for come out.

#ifndef POSENC_SRC_CLI_POSITION_RANGE_H_
#define POSENC_SRC_CLI_POSITION_RANGE_H_

#include <cstdint>
#include <string_view>

#include "src/cli/outcome.h"

namespace posenc::cli {

// The positions start + row * step, row = 0 .. count - 1. All of them are int64.
struct PositionRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::uint64_t count = 0;

  std::int64_t at(std::uint64_t row) const noexcept {  // row < count
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + row * static_cast<std::uint64_t>(step));
  }
};

// The positions of Python's range(A, B, STEP). A and every position are int64; B may also be the first integer past
// either end of int64, so that the last int64 can be reached. STEP is not 0 and is 1 when left out. option is
// --positions, or another name in the plural.
Outcome ParsePositionRange(const char* option, std::string_view text, PositionRange* range);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_POSITION_RANGE_H_
