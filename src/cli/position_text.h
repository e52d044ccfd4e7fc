// Positions as text: an open file goes in, its numbers come out one by one, as int64 or double.

#ifndef POSENC_SRC_CLI_POSITION_TEXT_H_
#define POSENC_SRC_CLI_POSITION_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "src/cli/input_file.h"
#include "src/cli/outcome.h"

namespace posenc::cli {

// Numbers are separated by blanks, tabs and ends of lines; # and what follows it on its line is skipped. Digits alone,
// with or without a minus, are an int64; what has a point or an exponent, inf and nan are a double, the nearest to the
// decimal number.
class PositionText {
 public:
  using Number = std::variant<std::int64_t, double>;

  // Memory for a block of text.
  PositionText();

  // Reads from where the file stands.
  void Restart() noexcept;
  // The next number; *end is true and there is none after the last.
  Outcome Next(InputFile* file, Number* number, bool* end);

 private:
  // The next word, empty at the end. It is valid until the next call.
  Outcome NextWord(InputFile* file, std::string_view* word);
  // Drops what is before begin_ and appends what the file has. *more is false at its end.
  Outcome Refill(InputFile* file, bool* more);

  std::vector<char> text_;
  std::size_t begin_ = 0;  // text_ from here to end_ is read and not used yet
  std::size_t end_ = 0;
  std::uint64_t numbers_ = 0;  // read since the start
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_POSITION_TEXT_H_
