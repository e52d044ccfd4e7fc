// Positions of rows, wherever they come from: blocks of consecutive positions come out, in the order of the rows.

#include "src/cli/position_source.h"

#include <algorithm>
#include <type_traits>

namespace posenc::cli {

std::size_t RowsOf(const PositionBlock& block) {
  return std::visit(
      [](const auto& positions) -> std::size_t {
        if constexpr (std::is_same_v<decltype(positions), const PositionRange&>) {
          return positions.count;
        } else {
          return positions.size();
        }
      },
      block);
}

Outcome RangePositions::Next(std::size_t most_rows, PositionBlock* block) {
  if (row_ == range_.count) row_ = 0;
  const std::uint64_t rows = std::min<std::uint64_t>(most_rows, range_.count - row_);
  *block = PositionRange{.start = range_.at(row_), .step = range_.step, .count = rows};
  row_ += rows;
  return Done();
}

}  // namespace posenc::cli
