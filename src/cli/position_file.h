// Positions from a file: a .npy or a text goes in, blocks of exact positions come out.

#ifndef POSENC_SRC_CLI_POSITION_FILE_H_
#define POSENC_SRC_CLI_POSITION_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/input_file.h"
#include "src/cli/npy_parse.h"
#include "src/cli/outcome.h"
#include "src/cli/position_source.h"
#include "src/cli/position_text.h"

namespace posenc::cli {

// The file is read twice in bounded memory: Open counts and checks the positions, so that what cannot be encoded is
// found before a byte is written, and Next reads them. A pipe is copied to a temporary file first.
class PositionFile final : public PositionSource {
 public:
  // path is the value of --positions-file. A file whose first byte is that of a .npy is one.
  Outcome Open(const std::string& path);

  std::uint64_t count() const noexcept override { return count_; }
  Outcome Next(std::size_t most_rows, PositionBlock* block) override;
  // The file as sentences call it.
  const std::string& named() const noexcept { return input_.named(); }

 private:
  // Items of a .npy as integers or reals; false if one is no position.
  using Widen = bool (*)(const char* items, std::size_t count, std::vector<std::int64_t>* integers,
                         std::vector<double>* reals);

  Outcome OpenNpy();
  Outcome CountText();
  Outcome ReadItems(std::size_t count);
  Outcome ReadText(std::size_t most);
  // Reads up to `most` positions from row_ on into integers_ or reals_, of which the other stays empty.
  Outcome ReadBlock(std::size_t most);
  Outcome Begin();

  InputFile input_;
  std::uint64_t begin_ = 0;  // where the positions begin
  std::uint64_t count_ = 0;
  std::uint64_t row_ = 0;  // the next one

  Widen widen_ = nullptr;  // null: the file is text
  std::uint64_t item_bytes_ = 0;
  std::vector<char> items_;

  PositionText text_;
  std::optional<PositionText::Number> ahead_;  // read, and not in a block yet

  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_POSITION_FILE_H_
