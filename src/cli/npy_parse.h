// Headers of .npy files: the first bytes of a file, which may be anything, go in; the array they describe, or the rule
// they break, comes out.

#ifndef POSENC_SRC_CLI_NPY_PARSE_H_
#define POSENC_SRC_CLI_NPY_PARSE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::cli {

// A header is at most this many bytes, the magic string included, whatever its length field says. NumPy writes 128 for
// every array of fewer than ten axes.
inline constexpr std::size_t kLongestNpyHeader = 65536;
inline constexpr std::size_t kMostNpyAxes = 64;

// The items that ParseNpyHeader knows, as a sentence calls them.
inline constexpr std::string_view kNpyNumbers = "plain integers of 1, 2, 4 or 8 bytes or floats of 2, 4 or 8 bytes";

// An array of plain numbers in C order: signed or unsigned integers of 1, 2, 4 or 8 bytes, or IEEE floats of 2, 4 or 8.
struct NpyArray {
  std::string descr;             // as the header has it, e.g. "<f4"
  std::string kind;              // without the byte order, e.g. "f4"
  bool is_native = false;        // the bytes of an item are in the order of this machine
  std::uint64_t item_bytes = 0;  // 1, 2, 4 or 8
  std::vector<std::uint64_t> shape = {};
  std::uint64_t count = 0;  // of items; count * item_bytes is below 2^62

  std::uint64_t data_bytes() const noexcept { return count * item_bytes; }
};

struct NpyParsed {
  // The rule that is broken, as a predicate of the file: "must be ...". Empty when none is.
  std::string broken_rule = {};
  // Where the data begin. More than the bytes that were given: call again with so many.
  std::size_t header_bytes = 0;
  // Filled when no rule is broken and no more bytes are needed.
  NpyArray array = {};
};

// Reads nothing but bytes, keeps no state, recurses nowhere and allocates in proportion to the header only. What is
// needed grows at most twice: the fixed part, then the length, then the whole header. numbers is what the rule says
// that a file of other items must hold: a caller that takes fewer of them names these.
NpyParsed ParseNpyHeader(std::string_view bytes, std::string_view numbers = kNpyNumbers);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_NPY_PARSE_H_
