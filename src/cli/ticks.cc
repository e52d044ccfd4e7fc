// Ticks of an axis: the range of its numbers goes in, round numbers on it come out.

#include "src/cli/ticks.h"

namespace posenc::cli {
namespace {

std::uint64_t RoundStep(double least_step) noexcept {
  constexpr std::uint64_t kLargestPower = 1'000'000'000'000'000'000u;
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t factor : {1u, 2u, 5u}) {
      if (static_cast<double>(factor * power) >= least_step) return factor * power;
    }
    // 5e18 still leaves ticks on all of int64.
    if (power == kLargestPower) return 5 * power;
  }
}

}  // namespace

std::vector<std::int64_t> RoundTicks(std::int64_t lowest, std::uint64_t span, double least_step) {
  const std::uint64_t step = RoundStep(least_step);  // at most 5e18, an int64
  const std::int64_t remainder = lowest % static_cast<std::int64_t>(step);
  // How far the first multiple lies above lowest.
  std::uint64_t offset = 0;
  if (remainder < 0) offset = static_cast<std::uint64_t>(-remainder);
  if (remainder > 0) offset = step - static_cast<std::uint64_t>(remainder);
  std::vector<std::int64_t> ticks;
  while (offset <= span) {
    ticks.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(lowest) + offset));
    if (span - offset < step) break;
    offset += step;
  }
  return ticks;
}

}  // namespace posenc::cli
