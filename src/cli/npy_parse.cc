// Headers of .npy files: the first bytes of a file, which may be anything, go in; the array they describe, or the rule
// they break, comes out.

#include "src/cli/npy_parse.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "src/cli/npy.h"
#include "src/cli/numbers.h"

namespace posenc::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;

constexpr const char* kMagicRule = "must be a .npy file: its first bytes are \\x93NUMPY";
constexpr const char* kVersionRule = "must be a .npy file of format 1.0, 2.0 or 3.0";
constexpr const char* kLengthRule = "must have a header of at most 65536 bytes";
static_assert(kLongestNpyHeader == 65536);
constexpr const char* kTextRule =
    "must have the header that NumPy writes, {'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), } and a new "
    "line";
constexpr const char* kOrderRule = "must be in C order (fortran_order False), not in Fortran order";
constexpr const char* kShapeRule = "must have a shape of at most 64 axes, each an integer from 0 to 2^63 - 1";
static_assert(kMostNpyAxes == 64);
constexpr const char* kSizeRule = "must have a shape that asks for fewer than 2^62 bytes";

// What is left of a header's text. Each Take moves past what it finds and says whether it found it.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) noexcept : rest_(text) {}

  bool Take(std::string_view token) noexcept {
    SkipBlanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  // A string between single or double quotes, without escapes.
  bool TakeString(std::string_view* string) noexcept {
    SkipBlanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    *string = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return string->find_first_of("\\\n") == std::string_view::npos;
  }

  // Decimal digits without a sign or leading zeros, up to 2^63 - 1.
  bool TakeLength(std::uint64_t* length) noexcept {
    SkipBlanks();
    const char* const begin = rest_.data();
    const std::from_chars_result result = std::from_chars(begin, begin + rest_.size(), *length);
    if (result.ec != std::errc() || *length > std::numeric_limits<std::int64_t>::max()) return false;
    const std::size_t digits = static_cast<std::size_t>(result.ptr - begin);
    const bool leading_zero = digits > 1 && rest_[0] == '0';
    rest_.remove_prefix(digits);
    return !leading_zero;
  }

  bool AtEnd() noexcept {
    SkipBlanks();
    return rest_ == "\n";
  }

 private:
  void SkipBlanks() noexcept { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  std::string_view rest_;
};

// The type of the items. One byte has no order, and headers write '|' for it.
bool ReadDescr(std::string_view descr, NpyArray* array) {
  constexpr std::string_view kKinds[] = {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"};
  if (descr.size() != 3 || std::ranges::find(kKinds, descr.substr(1)) == std::end(kKinds)) return false;
  const char order = descr[0];
  array->item_bytes = static_cast<std::uint64_t>(descr[2] - '0');
  const bool has_order = order == '<' || order == '>';
  if (!has_order && !(order == '|' && array->item_bytes == 1)) return false;
  array->is_native = array->item_bytes == 1 || order == kNpyByteOrder;
  array->descr = descr;
  array->kind = descr.substr(1);
  return true;
}

// A Python tuple of integers: (), (3,), (3, 4) or (3, 4,).
bool ReadShape(HeaderText* text, std::vector<std::uint64_t>* shape) {
  if (!text->Take("(")) return false;
  bool after_comma = true;
  while (!text->Take(")")) {
    std::uint64_t length = 0;
    if (!after_comma || shape->size() == kMostNpyAxes || !text->TakeLength(&length)) return false;
    shape->push_back(length);
    after_comma = text->Take(",");
    // (3) is no tuple.
    if (shape->size() == 1 && !after_comma) return false;
  }
  return true;
}

// The rule broken by the value of a key, or none.
std::string ReadDescrValue(HeaderText* text, std::string_view numbers, NpyArray* array) {
  const std::string rule = "must hold " + std::string(numbers);
  std::string_view descr;
  if (text->TakeString(&descr)) return ReadDescr(descr, array) ? "" : rule + ", not " + Quoted(descr);
  const bool is_structured = text->Take("[") || text->Take("(") || text->Take("{");
  return is_structured ? rule + ", not items of several parts" : kTextRule;
}

std::string ReadOrderValue(HeaderText* text) {
  if (text->Take("False")) return "";
  return text->Take("True") ? kOrderRule : kTextRule;
}

// The count of items, unless the axes that are not 0 ask for 2^62 bytes or more: what is empty must be plausible too.
bool CountItems(NpyArray* array) noexcept {
  constexpr std::uint64_t kTooManyBytes = std::uint64_t{1} << 62;
  std::uint64_t bytes = array->item_bytes;
  bool is_empty = false;
  for (const std::uint64_t length : array->shape) {
    if (length == 0) {
      is_empty = true;
    } else {
      if (length > (kTooManyBytes - 1) / bytes) return false;
      bytes *= length;
    }
  }
  array->count = is_empty ? 0 : bytes / array->item_bytes;
  return true;
}

// A Python dictionary of exactly three keys, in any order, and a new line.
std::string ReadText(std::string_view whole, std::string_view numbers, NpyArray* array) {
  HeaderText text(whole);
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  if (!text.Take("{")) return kTextRule;
  bool after_comma = true;
  while (!text.Take("}")) {
    std::string_view key;
    if (!after_comma || !text.TakeString(&key) || !text.Take(":")) return kTextRule;
    std::string broken;
    if (key == "descr" && !has_descr) {
      has_descr = true;
      broken = ReadDescrValue(&text, numbers, array);
    } else if (key == "fortran_order" && !has_order) {
      has_order = true;
      broken = ReadOrderValue(&text);
    } else if (key == "shape" && !has_shape) {
      has_shape = true;
      broken = ReadShape(&text, &array->shape) ? "" : kShapeRule;
    } else {
      broken = kTextRule;
    }
    if (!broken.empty()) return broken;
    after_comma = text.Take(",");
  }
  if (!has_descr || !has_order || !has_shape || !text.AtEnd()) return kTextRule;
  return CountItems(array) ? "" : kSizeRule;
}

NpyParsed Refused(std::string rule) { return {.broken_rule = std::move(rule)}; }
NpyParsed Needs(std::size_t bytes) { return {.header_bytes = bytes}; }

}  // namespace

NpyParsed ParseNpyHeader(std::string_view bytes, std::string_view numbers) {
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size())) return Refused(kMagicRule);
  // Format 1.0 has a length of two bytes, the others one of four.
  constexpr std::size_t kLengthAt = kMagic.size() + kVersionBytes;
  if (bytes.size() < kLengthAt + 2) return Needs(kLengthAt + 2);
  const auto byte = [bytes](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t major = byte(kMagic.size());
  if (major < 1 || major > 3 || byte(kMagic.size() + 1) != 0) return Refused(kVersionRule);
  const std::size_t text_at = kLengthAt + (major == 1 ? 2 : 4);
  if (bytes.size() < text_at) return Needs(text_at);
  std::size_t text_bytes = 0;
  for (std::size_t i = text_at; i-- > kLengthAt;) text_bytes = text_bytes << 8 | byte(i);
  if (text_bytes > kLongestNpyHeader - text_at) return Refused(kLengthRule);
  if (bytes.size() < text_at + text_bytes) return Needs(text_at + text_bytes);

  NpyParsed parsed;
  parsed.header_bytes = text_at + text_bytes;
  parsed.broken_rule = ReadText(bytes.substr(text_at, text_bytes), numbers, &parsed.array);
  return parsed;
}

}  // namespace posenc::cli
