// posenc plot: options go in, pixels of the PNG are compared with what the table holds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/cli/picture.h"

namespace posenc::cli_test {
namespace {

Picture Plot(std::vector<std::string> options) {
  options.insert(options.begin(), "plot");
  return Draw(options);
}

struct PixelRun {
  Pixel pixel;
  std::size_t length;
};

// Runs of at least `least` equal pixels in a row of the picture that are not paper.
std::vector<PixelRun> LongRuns(const Picture& picture, std::size_t y, std::size_t least) {
  std::vector<PixelRun> runs;
  for (std::size_t x = 0; x < picture.width;) {
    std::size_t end = x;
    while (end < picture.width && picture.at(end, y) == picture.at(x, y)) ++end;
    if (end - x >= least && picture.at(x, y) != kPaper) runs.push_back({picture.at(x, y), end - x});
    x = end;
  }
  return runs;
}

bool IsRed(const Pixel& pixel) { return pixel[0] > 2 * pixel[1] && pixel[0] > 2 * pixel[2]; }
bool IsBlue(const Pixel& pixel) { return pixel[2] > 2 * pixel[0] && pixel[2] > pixel[1]; }
bool IsPale(const Pixel& pixel) { return *std::ranges::min_element(pixel) > 0xE0; }

TEST(Plot, FillsThePictureWithEqualCellsOfTheRightColours) {
  // Position 0: sin 0, cos 1. The frequency is a multiple of pi in position 1: sin 0, cos -1.
  const std::vector<std::string> options = {"--dim", "2", "--inv-freq", "3.14159265358979", "--positions"};
  const auto plot = [&options](const std::string& positions) {
    std::vector<std::string> all = options;
    all.push_back(positions);
    return Plot(all);
  };
  const Picture zero = plot("0:1");
  EXPECT_LE(zero.width, 1200u);
  EXPECT_GE(zero.width, 1190u);
  EXPECT_LE(zero.height, 800u);
  EXPECT_GE(zero.height, 790u);
  const auto zero_runs = LongRuns(zero, zero.height / 2, 300);
  ASSERT_EQ(2u, zero_runs.size());
  EXPECT_EQ(zero_runs[0].length, zero_runs[1].length);
  EXPECT_TRUE(IsPale(zero_runs[0].pixel));
  EXPECT_TRUE(IsRed(zero_runs[1].pixel));
  const Picture one = plot("1:2");
  const auto one_runs = LongRuns(one, one.height / 2, 300);
  ASSERT_EQ(2u, one_runs.size());
  EXPECT_TRUE(IsPale(one_runs[0].pixel));
  EXPECT_TRUE(IsBlue(one_runs[1].pixel));
  // Positions go down: of two, the first is above.
  const Picture both = plot("0:2");
  const auto upper = LongRuns(both, both.height / 4, 300);
  const auto lower = LongRuns(both, both.height * 2 / 3, 300);
  ASSERT_EQ(2u, upper.size());
  ASSERT_EQ(2u, lower.size());
  EXPECT_EQ(zero_runs[1].pixel, upper[1].pixel);
  EXPECT_EQ(one_runs[1].pixel, lower[1].pixel);
}

TEST(Plot, TheColourBarSpansTheAmplitude) {
  // The same numbers in units of the amplitude: all pixels but those of the texts are the same.
  const Picture one = Plot({"--dim", "2", "--positions", "0:1"});
  const Picture quarter = Plot({"--dim", "2", "--positions", "0:1", "--amplitude", "0.25"});
  const auto one_runs = LongRuns(one, one.height / 2, 300);
  const auto quarter_runs = LongRuns(quarter, quarter.height / 2, 300);
  ASSERT_EQ(2u, one_runs.size());
  ASSERT_EQ(2u, quarter_runs.size());
  EXPECT_EQ(one_runs[1].pixel, quarter_runs[1].pixel);
}

TEST(Plot, AmplitudesBeyondFloatsAreDrawnAsAllOthers) {
  // Position 0 and a turn and a half: 0 and 1, 0 and -1, times an amplitude that floats hold no multiple of. 3.4e38 is
  // the largest of them.
  const auto plot = [](const std::string& amplitude) {
    return Plot({"--dim", "2", "--inv-freq", "9.42477796076938", "--positions", "0:2", "--amplitude", amplitude});
  };
  const Picture one = plot("1");
  const auto upper = LongRuns(one, one.height / 4, 300);
  const auto lower = LongRuns(one, one.height * 2 / 3, 300);
  ASSERT_EQ(2u, upper.size());
  ASSERT_EQ(2u, lower.size());
  ASSERT_TRUE(IsRed(upper[1].pixel));
  ASSERT_TRUE(IsBlue(lower[1].pixel));
  for (const std::string amplitude : {"3.5e38", "1e39", "1e300", "-1e39", "1e-46", "1e-300", "-4.9e-324"}) {
    const Picture picture = plot(amplitude);
    const bool negative = amplitude.starts_with('-');
    const auto above = LongRuns(picture, picture.height / 4, 300);
    const auto below = LongRuns(picture, picture.height * 2 / 3, 300);
    ASSERT_EQ(2u, above.size()) << amplitude;
    ASSERT_EQ(2u, below.size()) << amplitude;
    EXPECT_TRUE(IsPale(above[0].pixel)) << amplitude;
    EXPECT_TRUE(IsPale(below[0].pixel)) << amplitude;
    EXPECT_EQ((negative ? lower : upper)[1].pixel, above[1].pixel) << amplitude;
    EXPECT_EQ((negative ? upper : lower)[1].pixel, below[1].pixel) << amplitude;
  }
}

TEST(Plot, APixelOfALargeTableIsTheMeanOfWhatItCovers) {
  // cos(pi p) = 1, -1, 1, ... over many rows a pixel: pale everywhere. Its even positions alone: red everywhere.
  const std::vector<std::string> options = {"--dim", "2", "--inv-freq", "3.14159265358979", "--positions"};
  for (const std::string count : {"20000", "1000000"}) {
    std::vector<std::string> all = options;
    all.push_back("0:" + count);
    const Picture mixed = Plot(all);
    all.back() += ":2";
    const Picture even = Plot(all);
    for (const std::size_t eighth : {2u, 3u, 4u, 5u, 6u}) {
      const auto pale = LongRuns(mixed, mixed.height * eighth / 8, 300);
      ASSERT_FALSE(pale.empty());
      for (const auto& run : pale) EXPECT_TRUE(IsPale(run.pixel));
      const auto red = LongRuns(even, even.height * eighth / 8, 300);
      ASSERT_EQ(2u, red.size());
      EXPECT_TRUE(IsRed(red[1].pixel));
    }
  }
  // The same across: 4000 dimensions of which the sines are 0 and the cosines 1 give their mean.
  std::string zeros = "0";
  for (int k = 1; k < 2000; ++k) zeros += ",0";
  const Picture wide = Plot({"--dim", "4000", "--inv-freq", zeros, "--positions", "0:3"});
  const Picture half =
      Plot({"--dim", "1", "--odd", "drop-cos", "--inv-freq", "0.5235987755982989", "--positions", "1:2"});
  EXPECT_LE(wide.width, 1200u);
  const auto mean = LongRuns(wide, wide.height / 2, 100);
  const auto expected = LongRuns(half, half.height / 2, 100);
  ASSERT_EQ(1u, expected.size());  // sin(pi/6) = 1/2
  for (std::size_t channel = 0; channel < 3; ++channel) {
    // 4000 dimensions are no multiple of the pixels: a cell's mean is a little off one half.
    std::size_t close = 0;
    for (std::size_t x = 0; x < wide.width; ++x) {
      close += std::abs(wide.at(x, wide.height / 2)[channel] - expected[0].pixel[channel]) <= 40;
    }
    EXPECT_GT(close, wide.width * 3 / 4) << channel;
  }
}

TEST(Plot, ATableOfOneValueHasOneColourHoweverItIsCut) {
  // The angle is 0: a column of zeros and a column of ones. 1000 rows are no multiple of the pixels down.
  const Picture one = Plot({"--dim", "2", "--inv-freq", "0", "--positions", "0:1"});
  const auto expected = LongRuns(one, one.height / 2, 300);
  ASSERT_EQ(2u, expected.size());
  for (const std::string positions : {"0:1000", "0:1500000000"}) {
    const Picture many = Plot({"--dim", "2", "--inv-freq", "0", "--positions", positions});
    std::size_t rows = 0;
    for (std::size_t y = 0; y < many.height; ++y) {
      const auto runs = LongRuns(many, y, 300);
      if (runs.size() != 2) continue;  // above, below and on the border
      ++rows;
      EXPECT_EQ(expected[0].pixel, runs[0].pixel) << y;
      EXPECT_EQ(expected[1].pixel, runs[1].pixel) << y;
    }
    EXPECT_GT(rows, 600u);
  }
}

TEST(Plot, KeepsToTheSizesGiven) {
  const auto check = [](std::size_t width, std::size_t height, const std::string& dim, const std::string& positions) {
    const Picture picture = Plot(
        {"--dim", dim, "--positions", positions, "--width", std::to_string(width), "--height", std::to_string(height)});
    EXPECT_LE(picture.width, width);
    EXPECT_LE(picture.height, height);
  };
  for (const std::string dim : {"2", "100", "5000"}) {
    for (const std::string positions : {"0:1", "-50:50", "9000000000000000000:9000000000000001000"}) {
      check(240, 240, dim, positions);
      check(500, 300, dim, positions);
    }
  }
  check(4000, 4000, "5000", "-50:50");
}

}  // namespace
}  // namespace posenc::cli_test
