// Tables as a grid of cells: an encoder and positions go in, the cells of a picture come out, row by row.

#include "src/cli/heat_map.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/cli/element_type.h"
#include "src/cli/position_source.h"
#include "src/cli/row_chunks.h"

namespace posenc::cli {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;

// Splits entry i of `entries` over the cells it touches. In units in which an entry is `cells` long and a cell
// `entries` long, all borders are integers. cells <= entries, so an entry touches at most two cells.
struct Split {
  std::uint64_t cell;    // the cell that the entry begins in
  std::uint64_t inside;  // units of the entry in that cell
  std::uint64_t beyond;  // units in the next cell
};

Split SplitEntry(std::uint64_t i, std::uint64_t entries, std::uint64_t cells) noexcept {
  const std::uint64_t begin = i * cells;
  const std::uint64_t cell = begin / entries;
  const std::uint64_t inside = std::min(cells, (cell + 1) * entries - begin);
  return {cell, inside, cells - inside};
}

// The means along a row: values[c] for map.columns cells from dim elements.
void AverageColumns(const float* elements, const std::vector<Split>& splits, std::span<double> values) noexcept {
  if (splits.size() == values.size()) {
    std::copy_n(elements, values.size(), values.begin());
    return;
  }
  std::fill(values.begin(), values.end(), 0.0);
  for (std::size_t d = 0; d < splits.size(); ++d) {
    const Split& split = splits[d];
    const double element = elements[d];
    values[split.cell] += element * static_cast<double>(split.inside);
    if (split.beyond != 0) values[split.cell + 1] += element * static_cast<double>(split.beyond);
  }
  for (double& value : values) value /= static_cast<double>(splits.size());
}

}  // namespace

HeatMap PlanHeatMap(std::uint64_t dim, std::uint64_t positions, std::uint64_t most_columns,
                    std::uint64_t most_rows) noexcept {
  HeatMap map;
  // Several looks a cell, however long a row is.
  const std::uint64_t most_looks = std::max(kMostElements / dim, 4 * most_rows);
  map.row_stride = positions == 0 ? 1 : (positions - 1) / most_looks + 1;
  map.columns = std::min(dim, most_columns);
  map.rows = std::min(positions, most_rows);
  return map;
}

Outcome ForEachHeatRow(const Encoder& encoder, const PositionRange& positions, const HeatMap& map,
                       const std::function<void(std::uint64_t row, std::span<const double> values)>& use) {
  const ElementType* type = nullptr;
  Outcome found = FindElementType("f32", &type);
  if (!found.done()) return found;

  PositionRange looked_at = positions;
  looked_at.count = positions.count == 0 ? 0 : (positions.count - 1) / map.row_stride + 1;
  // With a stride above 1 there are hundreds of looks in a span below 2^64, so the product is an int64.
  looked_at.step = static_cast<std::int64_t>(map.row_stride) * positions.step;

  const std::size_t dim = encoder.spec().dim;
  std::vector<Split> splits(dim);
  for (std::size_t d = 0; d < dim; ++d) splits[d] = SplitEntry(d, dim, map.columns);
  std::vector<double> row_means(map.columns);
  std::vector<double> cell_sums(map.columns, 0.0);
  std::uint64_t look = 0;
  RangePositions source(looked_at);
  return ForEachChunk(encoder, &source, looked_at.count, *type, nullptr, [&](const void* data, std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r, ++look) {
      AverageColumns(static_cast<const float*>(data) + r * dim, splits, row_means);
      const Split split = SplitEntry(look, looked_at.count, map.rows);
      const auto add = [&](std::uint64_t units) {
        const double weight = static_cast<double>(units) / static_cast<double>(looked_at.count);
        for (std::size_t c = 0; c < cell_sums.size(); ++c) cell_sums[c] += weight * row_means[c];
      };
      add(split.inside);
      if ((split.cell + 1) * looked_at.count == look * map.rows + split.inside) {
        use(split.cell, cell_sums);
        std::fill(cell_sums.begin(), cell_sums.end(), 0.0);
      }
      if (split.beyond != 0) add(split.beyond);
    }
    return Done();
  });
}

}  // namespace posenc::cli
