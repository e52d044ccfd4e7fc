// Positions of rows, wherever they come from: blocks of consecutive positions come out, in the order of the rows.

#ifndef POSENC_SRC_CLI_POSITION_SOURCE_H_
#define POSENC_SRC_CLI_POSITION_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "src/cli/outcome.h"
#include "src/cli/position_range.h"

namespace posenc::cli {

// The exact positions of some rows. A float or half is a double here, without a loss.
using PositionBlock = std::variant<PositionRange, std::span<const std::int64_t>, std::span<const double>>;

std::size_t RowsOf(const PositionBlock& block);

class PositionSource {
 public:
  PositionSource() = default;
  PositionSource(const PositionSource&) = delete;
  PositionSource& operator=(const PositionSource&) = delete;
  virtual ~PositionSource() = default;

  virtual std::uint64_t count() const noexcept = 0;
  // The next positions, at least one and at most most_rows, which is not 0. After the last position comes the first
  // one again, in a block of its own. Not for a count of 0. The block is valid until the next call.
  virtual Outcome Next(std::size_t most_rows, PositionBlock* block) = 0;
};

class RangePositions final : public PositionSource {
 public:
  explicit RangePositions(const PositionRange& range) noexcept : range_(range) {}

  std::uint64_t count() const noexcept override { return range_.count; }
  Outcome Next(std::size_t most_rows, PositionBlock* block) override;

 private:
  const PositionRange range_;
  std::uint64_t row_ = 0;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_POSITION_SOURCE_H_
