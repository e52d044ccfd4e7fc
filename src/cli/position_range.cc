// Positions of the command line: the text A:B[:STEP] goes in, the rows it stands for come out.

#include "src/cli/position_range.h"

#include <cstddef>
#include <limits>
#include <string>

#include "src/cli/numbers.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// The rows of start, start + step, ... up to and including last, which lies in the direction of step or is start.
// False when there are 2^64 of them.
bool CountTo(std::int64_t last, PositionRange* range) noexcept {
  const bool up = range->step > 0;
  const std::uint64_t start = static_cast<std::uint64_t>(range->start);
  const std::uint64_t end = static_cast<std::uint64_t>(last);
  const std::uint64_t distance = up ? end - start : start - end;
  const std::uint64_t stride =
      up ? static_cast<std::uint64_t>(range->step) : 0 - static_cast<std::uint64_t>(range->step);
  range->count = distance / stride + 1;
  return range->count != 0;
}

}  // namespace

Outcome ParsePositionRange(const char* option, std::string_view text, PositionRange* range) {
  const std::string name(option);
  const auto refused = [&](const std::string& rule) {
    return BadCommandLine(name + " must " + rule + ", not " + Quoted(text));
  };
  constexpr const char* kForm = "be A:B or A:B:STEP with 64-bit integers and no blanks";
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return refused(kForm);
  std::string_view end_text = text.substr(colon + 1);
  const std::size_t second = end_text.find(':');
  *range = PositionRange{};
  if (second != std::string_view::npos) {
    if (ParseNumber(end_text.substr(second + 1), &range->step) != NumberError::kNone) return refused(kForm);
    if (range->step == 0) return refused("have a STEP that is not 0");
    end_text = end_text.substr(0, second);
  }
  if (ParseNumber(text.substr(0, colon), &range->start) != NumberError::kNone) return refused(kForm);

  // B is exclusive: with `last` the integer before it, both ends of int64 can be had without leaving int64.
  const bool up = range->step > 0;
  std::int64_t last = 0;
  if (end_text == (up ? "9223372036854775808" : "-9223372036854775809")) {
    last = up ? kHighest : kLowest;
  } else {
    std::int64_t end = 0;
    if (ParseNumber(end_text, &end) != NumberError::kNone) return refused(kForm);
    if (up ? end <= range->start : end >= range->start) return Done();
    last = up ? end - 1 : end + 1;
  }
  if (!CountTo(last, range)) return refused("hold fewer than 2^64 " + name.substr(name.find_first_not_of('-')));
  return Done();
}

}  // namespace posenc::cli
