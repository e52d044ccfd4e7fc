// Numbers of the command line: doubles and texts go in, what is printed of them comes out.

#include "src/cli/numbers.h"

#include <array>
#include <cstddef>

namespace posenc::cli {

std::string FormatNumber(double value, int digits) {
  std::array<char, 40> text;  // sign, 17 digits, point, "e-308" and the zeros of 0.0001 fit
  std::to_chars_result result = std::to_chars(text.data(), text.data() + text.size(), value);
  // The shortest text that reads back as value comes first; digits only shortens it further.
  if (digits < 17) {
    result = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  }
  return std::string(text.data(), result.ptr);
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    quoted += control ? '?' : c;
  }
  return quoted + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace posenc::cli
