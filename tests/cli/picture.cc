// Pictures of the tests: the path of a PNG goes in, its pixels come out.

#include "tests/cli/picture.h"

#include <gtest/gtest.h>
#include <png.h>

#include "tests/cli/program.h"

namespace posenc::cli_test {

Picture ReadPicture(const std::string& path) {
  Picture picture;
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(0, png_image_begin_read_from_file(&image, path.c_str())) << image.message;
  image.format = PNG_FORMAT_RGB;
  picture.width = image.width;
  picture.height = image.height;
  picture.pixels.resize(picture.width * picture.height);
  EXPECT_NE(0, png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr)) << image.message;
  return picture;
}

Picture Draw(std::vector<std::string> arguments) {
  const TemporaryDirectory directory;
  const std::string path = directory / "t.png";
  arguments.insert(arguments.end(), {"-o", path});
  const Ended ended = RunProgram(arguments);
  EXPECT_EQ(0, ended.exit_code);
  EXPECT_EQ("", ended.out);
  EXPECT_EQ("", ended.err);
  EXPECT_EQ(std::vector<std::string>{"t.png"}, directory.Names());
  return ReadPicture(path);
}

}  // namespace posenc::cli_test
