// Pictures of the tests: the path of a PNG goes in, its pixels come out.

#ifndef POSENC_TESTS_CLI_PICTURE_H_
#define POSENC_TESTS_CLI_PICTURE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace posenc::cli_test {

using Pixel = std::array<std::uint8_t, 3>;

inline constexpr Pixel kPaper = {0xFF, 0xFF, 0xFF};

struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<Pixel> pixels;
  const Pixel& at(std::size_t x, std::size_t y) const { return pixels[y * width + x]; }
};

Picture ReadPicture(const std::string& path);

// Runs the program with these arguments and an output, which must be all that it leaves and says.
Picture Draw(std::vector<std::string> arguments);

}  // namespace posenc::cli_test

#endif  // POSENC_TESTS_CLI_PICTURE_H_
