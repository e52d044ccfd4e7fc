// Fuzz target npy: the first bytes of a file go in; what ParseNpyHeader promises about any bytes is checked.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/cli/npy.h"
#include "src/cli/npy_parse.h"
#include "tests/fuzz/fuzz.h"

namespace posenc::fuzz {
namespace {

using cli::NpyArray;
using cli::NpyParsed;

bool SameArray(const NpyArray& a, const NpyArray& b) {
  return a.descr == b.descr && a.kind == b.kind && a.is_native == b.is_native && a.item_bytes == b.item_bytes &&
         a.shape == b.shape && a.count == b.count;
}

// Whether count is the product of the shape. Its factors are taken one by one, as far as they fit.
bool IsCountOfShape(const NpyArray& array) {
  unsigned __int128 product = 1;
  for (const std::uint64_t length : array.shape) {
    if (length == 0) return array.count == 0;
  }
  for (const std::uint64_t length : array.shape) {
    product *= length;
    if (product > UINT64_MAX) return false;
  }
  return array.count == static_cast<std::uint64_t>(product);
}

void CheckArray(const NpyArray& array) {
  Require(array.item_bytes == 1 || array.item_bytes == 2 || array.item_bytes == 4 || array.item_bytes == 8,
          [&] { return "items of " + std::to_string(array.item_bytes) + " bytes"; });
  Require(array.shape.size() <= cli::kMostNpyAxes, [&] { return std::to_string(array.shape.size()) + " axes"; });
  Require(IsCountOfShape(array),
          [&] { return "a count of " + std::to_string(array.count) + " is not that of the shape"; });
  Require(array.count < (std::uint64_t{1} << 62) / array.item_bytes, [] { return "more than 2^62 bytes"; });
  Require(array.kind.size() == 2 && array.descr.ends_with(array.kind), [&] { return "kind " + array.kind; });
  Require(array.kind[1] == static_cast<char>('0' + array.item_bytes), [&] { return "kind " + array.kind; });
}

}  // namespace
}  // namespace posenc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using posenc::cli::NpyParsed;
  using posenc::cli::ParseNpyHeader;
  using posenc::fuzz::Require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);

  // As a reader does it: more bytes as long as more are asked for, which happens twice at most.
  std::size_t given = 0;
  NpyParsed parsed = ParseNpyHeader(bytes.substr(0, given));
  for (int more = 0; parsed.broken_rule.empty() && parsed.header_bytes > given; ++more) {
    Require(more < 3, [] { return "more bytes were asked for three times"; });
    Require(parsed.header_bytes <= posenc::cli::kLongestNpyHeader,
            [&] { return "a header of " + std::to_string(parsed.header_bytes) + " bytes"; });
    given = parsed.header_bytes;
    if (given > size) return 0;  // the file ends in its header
    parsed = ParseNpyHeader(bytes.substr(0, given));
  }
  if (!parsed.broken_rule.empty()) {
    Require(parsed.broken_rule.find('\n') == std::string::npos, [&] { return "two lines: " + parsed.broken_rule; });
    return 0;
  }
  posenc::fuzz::CheckArray(parsed.array);
  // Data behind the header change nothing.
  const NpyParsed whole = ParseNpyHeader(bytes);
  Require(whole.broken_rule.empty() && whole.header_bytes == parsed.header_bytes &&
              posenc::fuzz::SameArray(whole.array, parsed.array),
          [] { return "the header means something else with the data behind it"; });
  // What the program writes for such an array is read as the same array.
  const std::string written = posenc::cli::NpyHeader(parsed.array.kind, parsed.array.shape);
  const NpyParsed again = ParseNpyHeader(written);
  Require(again.broken_rule.empty() && again.header_bytes == written.size() && again.array.is_native &&
              again.array.kind == parsed.array.kind && again.array.shape == parsed.array.shape &&
              again.array.count == parsed.array.count,
          [&] { return "the header that is written for the array is not that of the array: " + written; });
  return 0;
}
