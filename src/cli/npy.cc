// The .npy format of NumPy: the type and shape of an array go in, the bytes before its data come out.

#include "src/cli/npy.h"

namespace posenc::cli {
namespace {

// The magic string and the version 1.0; a 16-bit little-endian length of the text follows.
constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t kLengthBytes = 2;

}  // namespace

std::string NpyHeader(std::string_view kind, std::span<const std::uint64_t> shape) {
  std::string text = "{'descr': '";
  text += kNpyByteOrder;
  text += kind;
  text += "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(shape[i]);
    // Python writes a tuple of one element with a comma at its end.
    if (i + 1 < shape.size() || shape.size() == 1) text += ',';
  }
  text += "), }";
  const std::size_t unpadded = kMagic.size() + kLengthBytes + text.size() + 1;
  text.append((kNpyAlignment - unpadded % kNpyAlignment) % kNpyAlignment, ' ');
  text += '\n';

  std::string header(kMagic);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace posenc::cli
