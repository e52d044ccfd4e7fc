// Tables as a grid of cells: an encoder and positions go in, the cells of a picture come out, row by row.

#ifndef POSENC_SRC_CLI_HEAT_MAP_H_
#define POSENC_SRC_CLI_HEAT_MAP_H_

#include <cstdint>
#include <functional>
#include <span>

#include "posenc/posenc.h"
#include "src/cli/outcome.h"
#include "src/cli/position_range.h"

namespace posenc::cli {

// How a table is cut into cells. An axis that has no more table entries than places has a cell for each; on a longer
// axis all cells cover the same length, an entry on a border counts for both with its parts.
struct HeatMap {
  std::uint64_t columns = 0;     // cells across: the smaller of dim and the places
  std::uint64_t rows = 0;        // cells down: the smaller of positions.count and the places
  std::uint64_t row_stride = 1;  // every row_stride-th position is looked at, from the first on
};

// A table of up to 2^28 elements is looked at in full, a longer one at evenly spaced positions.
HeatMap PlanHeatMap(std::uint64_t dim, std::uint64_t positions, std::uint64_t most_columns,
                    std::uint64_t most_rows) noexcept;

// Calls use(row, values) for row = 0 .. map.rows - 1: the mean of the elements that each of the map.columns cells of
// that row covers. The memory used does not grow with the number of positions.
Outcome ForEachHeatRow(const Encoder& encoder, const PositionRange& positions, const HeatMap& map,
                       const std::function<void(std::uint64_t row, std::span<const double> values)>& use);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_HEAT_MAP_H_
