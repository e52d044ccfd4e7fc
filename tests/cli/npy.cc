// .npy files of the tests: bytes go in, header and items come out, or the other way round, by the format's definition.

#include "tests/cli/npy.h"

#include <bit>
#include <cmath>
#include <limits>

namespace posenc::cli_test {

Npy ParseNpy(const std::string& bytes) {
  Npy npy;
  EXPECT_GE(bytes.size(), 64u);
  if (bytes.size() < 64) return npy;
  EXPECT_EQ(std::string("\x93NUMPY\x01\x00", 8), bytes.substr(0, 8));
  const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  const std::size_t data = 10 + length;
  EXPECT_EQ(0u, data % 64);
  EXPECT_GE(bytes.size(), data);
  if (bytes.size() < data) return npy;
  EXPECT_EQ('\n', bytes[data - 1]);
  const std::size_t end = bytes.find_last_not_of(' ', data - 2) + 1;
  EXPECT_LT(data - end, 66u) << "more padding than needed";
  npy.header = bytes.substr(10, end - 10);
  npy.data = bytes.substr(data);
  return npy;
}

std::string HeaderText(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
}

std::string ShapeText(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t length : shape) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return shape.size() == 1 ? text + "," : text;
}

std::string NpyOf(const std::string& text, const std::string& data, char major, char minor) {
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += minor;
  for (std::size_t i = 0; i < (major == 1 ? 2u : 4u); ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return bytes + text + data;
}

double HalfValue(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = static_cast<double>(bits & 1023) / 1024.0;
  const double sign = bits >> 15 != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction == 0.0 ? sign * INFINITY : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::exp2(-14) * fraction : std::exp2(exponent - 15) * (1.0 + fraction));
}

double BFloat16Value(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace posenc::cli_test
