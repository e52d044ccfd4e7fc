// Numbers of the command line: a text goes in, a number comes out when the whole text is one, whatever the locale.

#ifndef POSENC_SRC_CLI_NUMBERS_H_
#define POSENC_SRC_CLI_NUMBERS_H_

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace posenc::cli {

enum class NumberError : std::uint8_t {
  kNone,
  kNotANumber,  // empty, or a character that is not part of a number, blanks and a leading + included
  kOutOfRange   // a number that the type does not hold: too large, or too close to 0
};

// Number: an integer type (decimal digits, a leading - if the type is signed) or double (also 1e-3, inf, nan).
template <class Number>
NumberError ParseNumber(std::string_view text, Number* number) noexcept {
  static_assert(std::is_arithmetic_v<Number>);
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, *number);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return NumberError::kNotANumber;
  return result.ec == std::errc() ? NumberError::kNone : NumberError::kOutOfRange;
}

// What editors of Windows put at the start of a text, which is no part of it: U+FEFF in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// value with `digits` significant digits and no trailing zeros: 0.5, 10000, 1e-20. digits is from 1 to 17.
std::string FormatNumber(double value, int digits = 17);

// text between double quotes, shortened and with control characters replaced, fit for a sentence on a terminal.
std::string Quoted(std::string_view text);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_NUMBERS_H_
