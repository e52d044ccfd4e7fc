// Ticks of an axis: the range of its numbers goes in, round numbers on it come out.

#ifndef POSENC_SRC_CLI_TICKS_H_
#define POSENC_SRC_CLI_TICKS_H_

#include <cstdint>
#include <vector>

namespace posenc::cli {

// The multiples of 1, 2 or 5 times a power of ten in lowest .. lowest + span, in ascending order. The smallest such
// step of at least least_step is used; least_step <= 0 means 1. lowest + span is an int64.
std::vector<std::int64_t> RoundTicks(std::int64_t lowest, std::uint64_t span, double least_step);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_TICKS_H_
