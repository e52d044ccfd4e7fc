// posenc similarity: options go in; numbers are compared with sums of cosines by MPFR and with the library, pixels with
// what the curve must be.

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "tests/cli/npy.h"
#include "tests/cli/picture.h"
#include "tests/cli/program.h"
#include "tests/reference.h"

namespace posenc::cli_test {
namespace {

using Arguments = std::vector<std::string>;

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

Ended RunSimilarity(Arguments options, const std::string& output) {
  options.insert(options.begin(), "similarity");
  options.insert(options.end(), {"-o", output});
  return RunProgram(options);
}

std::string Output(const Arguments& options) {
  const Ended ended = RunSimilarity(options, "-");
  EXPECT_EQ(0, ended.exit_code);
  EXPECT_EQ("", ended.err);
  return ended.out;
}

struct Line {
  std::int64_t offset = 0;
  double value = 0.0;
  std::string text;  // of the value
};

std::vector<Line> Lines(const std::string& csv) {
  constexpr std::string_view kHead = "offset,similarity\n";
  EXPECT_TRUE(csv.starts_with(kHead));
  std::vector<Line> lines;
  for (std::size_t begin = kHead.size(); begin < csv.size();) {
    const std::size_t comma = csv.find(',', begin);
    const std::size_t end = csv.find('\n', begin);
    EXPECT_LT(comma, end);
    EXPECT_NE(std::string::npos, end);
    if (comma >= end || end == std::string::npos) break;
    Line line{.text = csv.substr(comma + 1, end - comma - 1)};
    EXPECT_EQ(csv.data() + comma, std::from_chars(csv.data() + begin, csv.data() + comma, line.offset).ptr);
    EXPECT_EQ(csv.data() + end, std::from_chars(csv.data() + comma + 1, csv.data() + end, line.value).ptr);
    lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

TEST(Similarity, IsTheSumOfTheCosines) {
  const std::vector<Line> lines = Lines(Output({"--dim", "6", "--amplitude", "0.5", "--offsets", "-40:60"}));
  ASSERT_EQ(100u, lines.size());
  test::Reference reference({.dim = 6});
  test::Real sin(test::Reference::kFrequencyBits), cos(test::Reference::kFrequencyBits);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(static_cast<std::int64_t>(i) - 40, lines[i].offset);
    test::Real sum(test::Reference::kFrequencyBits);
    mpfr_set_zero(sum, 1);
    for (std::size_t k = 0; k < 3; ++k) {
      reference.SinCos(lines[i].offset, k, sin, cos);
      mpfr_add(sum, sum, cos, MPFR_RNDN);
    }
    mpfr_div_ui(sum, sum, 4, MPFR_RNDN);
    EXPECT_EQ(test::RoundOnce<double>(sum), lines[i].value) << lines[i].offset;
  }
  EXPECT_EQ("0.75", lines[40].text);
}

TEST(Similarity, EveryNumberIsTheLibrarysInItsShortestText) {
  const struct {
    Arguments options;
    Spec spec;
  } cases[] = {
      {{"--dim", "64"}, {.dim = 64}},
      {{"--dim", "64", "--base", "7", "--position-scale", "0.25"}, {.dim = 64, .base = 7.0, .position_scale = 0.25}},
      {{"--dim", "6", "--inv-freq", "1.5,-0.25,1e-3"}, {.dim = 6, .inv_freq = {1.5, -0.25, 1e-3}}},
      {{"--dim", "7", "--odd", "zero", "--amplitude", "1e-100"}, {.dim = 7, .amplitude = 1e-100, .odd = OddDim::kZero}},
      {{"--dim", "8", "--amplitude", "1e200"}, {.dim = 8, .amplitude = 1e200}},
      {{"--dim", "8", "--layout", "split", "--cos-first", "--spacing", "inclusive"},
       {.dim = 8, .spacing = Spacing::kInclusive}},
  };
  const struct {
    std::string typed;
    std::vector<std::int64_t> offsets;
  } ranges[] = {
      {"5:5", {}},
      {"-2:3", {-2, -1, 0, 1, 2}},
      {"9:0:-4", {9, 5, 1}},
      {"-9223372036854775808:9223372036854775808:9223372036854775807", {kLowest, -1, kHighest - 1}},
  };
  for (const auto& [options, spec] : cases) {
    const Result<Encoder> made = Encoder::Make(spec);
    ASSERT_TRUE(made);
    for (const auto& [typed, offsets] : ranges) {
      std::vector<double> values(offsets.size());
      ASSERT_EQ(Error::kNone, made.value.Similarity(offsets, values));
      std::string csv = "offset,similarity\n";
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        char text[40];
        csv += std::to_string(offsets[i]) + ",";
        csv.append(text, std::to_chars(text, text + sizeof(text), values[i]).ptr) += '\n';
      }
      Arguments all = options;
      all.insert(all.end(), {"--offsets", typed});
      EXPECT_EQ(csv, Output(all));
      all.insert(all.end(), {"--format", "npy"});
      const Npy npy = ParseNpy(Output(all));
      EXPECT_EQ(HeaderText("<f8", ShapeText({offsets.size()})), npy.header);
      EXPECT_EQ(BytesOf(values), npy.data);
    }
  }
}

TEST(Similarity, ManyBlocksAreOneCurveInBoundedMemory) {
  // A million lines, of which those around a block's border are looked at.
  const Ended ended =
      RunProgram({"similarity", "--dim", "2", "--offsets", "-500000:500000", "-o", "-"}, kBoundedMemory);
  EXPECT_EQ(0, ended.exit_code) << ended.err;
  const std::vector<Line> lines = Lines(ended.out);
  ASSERT_EQ(1000000u, lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(static_cast<std::int64_t>(i) - 500000, lines[i].offset);
  const std::vector<Line> border = Lines(Output({"--dim", "2", "--offsets", "-495905:-495903"}));
  ASSERT_EQ(2u, border.size());
  EXPECT_EQ(border[0].value, lines[4095].value);
  EXPECT_EQ(border[1].value, lines[4096].value);
}

TEST(Similarity, TheFormatIsTheEndingOrTheOneNamed) {
  const TemporaryDirectory directory;
  const Arguments options = {"--dim", "8", "--offsets", "0:40"};
  const auto format_of = [&](Arguments more, const std::string& name) {
    more.insert(more.begin(), options.begin(), options.end());
    const Ended ended = RunSimilarity(more, directory / name);
    EXPECT_EQ(0, ended.exit_code) << ended.err;
    const std::string bytes = ReadFile(directory / name);
    if (bytes.starts_with("offset,similarity\n")) return "csv";
    if (bytes.starts_with("\x93NUMPY")) return "npy";
    return bytes.starts_with("\x89PNG") ? "png" : "?";
  };
  for (const std::string name : {"csv", "npy", "png"}) {
    EXPECT_EQ(name, format_of({}, "t." + name));
    EXPECT_EQ(name, format_of({"--format", name}, "t"));
    EXPECT_EQ(name, format_of({"--format", name}, "other.csv"));
  }
  EXPECT_STREQ("png", format_of({}, "a.csv.PNG"));
  EXPECT_EQ(Output(options), ReadFile(directory / "t.csv"));
}

constexpr Pixel kCurve = {0x1F, 0x5F, 0xA8};

// Of a column of the picture: the pixels of the curve, and the first of them.
struct Stroke {
  std::size_t top = 0;
  std::size_t pixels = 0;
};

std::vector<Stroke> Strokes(const Picture& picture) {
  std::vector<Stroke> strokes(picture.width);
  for (std::size_t y = picture.height; y-- > 0;) {
    for (std::size_t x = 0; x < picture.width; ++x) {
      if (picture.at(x, y) != kCurve) continue;
      strokes[x].top = y;
      ++strokes[x].pixels;
    }
  }
  return strokes;
}

Picture Chart(Arguments options) {
  options.insert(options.begin(), "similarity");
  return Draw(options);
}

TEST(Similarity, AFlatCurveIsALineAcrossTheMiddle) {
  for (const std::string range : {"0:1000", "0:1000000000"}) {
    const Picture picture = Chart({"--dim", "2", "--inv-freq", "0", "--offsets", range});
    EXPECT_EQ(1200u, picture.width);
    EXPECT_EQ(800u, picture.height);
    std::size_t drawn = 0;
    std::size_t top = 0;
    for (const Stroke& stroke : Strokes(picture)) {
      if (stroke.pixels == 0) continue;
      if (drawn > 0) {
        EXPECT_EQ(top, stroke.top);
      }
      top = stroke.top;
      EXPECT_EQ(4u, stroke.pixels);
      ++drawn;
    }
    EXPECT_GT(drawn, 1000u);
    EXPECT_NEAR(400.0, static_cast<double>(top), 40.0);
  }
}

TEST(Similarity, TheCurveFallsFromItsPeakOnBothSidesAlike) {
  // dim 2: the cosine, over half a turn to both sides.
  const std::vector<Stroke> strokes =
      Strokes(Chart({"--dim", "2", "--inv-freq", "0.0031415926535897933", "--offsets", "-1000:1001"}));
  std::size_t first = 0;
  while (first < strokes.size() && strokes[first].pixels == 0) ++first;
  std::size_t last = strokes.size() - 1;
  while (last > first && strokes[last].pixels == 0) --last;
  ASSERT_GT(last - first, 1000u);
  const auto y_at = [&](double share) {  // the middle of the stroke, so far across
    const Stroke& stroke =
        strokes[first + static_cast<std::size_t>(std::lround(share * static_cast<double>(last - first)))];
    EXPECT_GT(stroke.pixels, 0u) << share;
    return static_cast<double>(stroke.top) + static_cast<double>(stroke.pixels) / 2.0;
  };
  const double peak = y_at(0.5);
  const double foot = y_at(0.01);
  EXPECT_GT(foot - peak, 550.0);
  for (double share = 0.02; share < 0.5; share += 0.02) {
    EXPECT_NEAR(y_at(share), y_at(1.0 - share), 3.0) << share;
    const double cosine = std::cos((2.0 * share - 1.0) * 3.141592653589793);
    EXPECT_NEAR((peak + foot) / 2.0 - cosine * (foot - peak) / 2.0, y_at(share), 6.0) << share;
  }
}

TEST(Similarity, NoExtremeOfManyOffsetsIsLost) {
  // cos(pi * offset): 1 and -1 in turn, far more often than there are pixels.
  const std::vector<Stroke> full =
      Strokes(Chart({"--dim", "2", "--inv-freq", "3.14159265358979", "--offsets", "0:1000001"}));
  std::size_t drawn = 0;
  for (const Stroke& stroke : full) {
    if (stroke.pixels == 0) continue;
    ++drawn;
    EXPECT_GT(stroke.pixels, 600u);
  }
  EXPECT_GT(drawn, 1000u);
  // One offset of a million is the peak: 0, in the middle.
  const std::vector<Stroke> peak = Strokes(Chart({"--dim", "64", "--offsets", "-500000:500001"}));
  std::size_t top = 800;
  for (const Stroke& stroke : peak) {
    if (stroke.pixels > 0) top = std::min(top, stroke.top);
  }
  EXPECT_LT(top, 100u);
  std::size_t columns = 0;
  for (std::size_t x = 0; x < peak.size(); ++x) {
    if (peak[x].pixels == 0 || peak[x].top > top + 20) continue;
    ++columns;
    EXPECT_NEAR(static_cast<double>(peak.size()) / 2.0, static_cast<double>(x), 60.0);
  }
  EXPECT_GE(columns, 1u);
  EXPECT_LE(columns, 10u);
}

TEST(Similarity, ThePeakIsDrawnWhereOffsetsAreLeftOut) {
  // One offset of about 2^46 is looked at, wherever the range begins. Without 0 the curve is noise in which no column
  // stands out; with it, only the peak reaches into the upper half.
  for (const char* const range : {"-4000000000000000123:5000000000000000001", "0:-4611686018427387001:-1"}) {
    const std::vector<Stroke> strokes = Strokes(Chart({"--dim", "4096", "--offsets", range}));
    std::size_t top = 800;
    for (const Stroke& stroke : strokes) {
      if (stroke.pixels > 0) top = std::min(top, stroke.top);
    }
    std::size_t columns = 0;
    for (const Stroke& stroke : strokes) columns += stroke.pixels > 0 && stroke.top < top + 200;
    EXPECT_GE(columns, 1u) << range;
    EXPECT_LE(columns, 10u) << range;
  }
}

TEST(Similarity, APictureOfAnyRangeTakesBoundedMemory) {
  const TemporaryDirectory directory;
  for (const std::string range : {"0:1000000", "9223372036854775807:-9223372036854775809:-3"}) {
    const Ended ended =
        RunProgram({"similarity", "--dim", "64", "--offsets", range, "-o", directory / "t.png"}, kBoundedMemory);
    EXPECT_EQ(0, ended.exit_code) << ended.err;
    EXPECT_EQ("", ended.err);
  }
  // Offsets that come down are the same curve: the title says the order, the lines of the chart do not know it.
  const auto strokes = [](const std::string& range) { return Strokes(Chart({"--dim", "16", "--offsets", range})); };
  const std::vector<Stroke> up = strokes("-300:301:3");
  const std::vector<Stroke> down = strokes("300:-301:-3");
  for (std::size_t x = 0; x < up.size(); ++x) {
    EXPECT_EQ(up[x].pixels, down[x].pixels) << x;
    EXPECT_EQ(up[x].top, down[x].top) << x;
  }
}

TEST(Similarity, PicturesKeepToTheSizesGiven) {
  const auto check = [](const std::string& width, const std::string& height, const std::string& range,
                        const std::string& amplitude) {
    const Picture picture =
        Chart({"--dim", "8", "--offsets", range, "--amplitude", amplitude, "--width", width, "--height", height});
    EXPECT_EQ(width, std::to_string(picture.width));
    EXPECT_EQ(height, std::to_string(picture.height));
    std::size_t drawn = 0;
    for (const Stroke& stroke : Strokes(picture)) drawn += stroke.pixels;
    EXPECT_GT(drawn, 20u) << range << " amplitude " << amplitude;
  };
  for (const std::string range : {"7:8", "-200:201", "-9223372036854775808:9223372036854775808:9223372036854775807"}) {
    for (const std::string amplitude : {"1", "0", "1e-5", "1e153", "1e-200"}) {
      check("240", "240", range, amplitude);
      check("500", "300", range, amplitude);
    }
  }
  check("4000", "4000", "-200:201", "1");
}

TEST(Similarity, WhatCannotBeDoneIsRefusedWithASentence) {
  const TemporaryDirectory directory;
  const std::string ending = "-o must end in .png, .csv or .npy where no --format is given, not be ";
  const std::string form = "--offsets must be A:B or A:B:STEP with 64-bit integers and no blanks, not ";
  const struct {
    Arguments options;
    std::string name;
    std::string sentence;
  } cases[] = {
      {{"--dim", "8", "--offsets", "0:4"}, "t.txt", ending + "\"" + directory / "t.txt" + "\""},
      {{"--dim", "8", "--offsets", "0:4"}, "csv", ending + "\"" + directory / "csv" + "\""},
      {{"--dim", "8", "--offsets", "0:4", "--format", "svg"}, "t.png", "--format must be png, csv or npy, not \"svg\""},
      {{"--dim", "8", "--offsets", "0:4", "--format", "CSV"}, "t.png", "--format must be png, csv or npy, not \"CSV\""},
      {{"--dim", "8", "--offsets", "4"}, "t.csv", form + "\"4\""},
      {{"--dim", "8", "--offsets", "0:4:0"}, "t.csv", "--offsets must have a STEP that is not 0, not \"0:4:0\""},
      {{"--dim", "8", "--offsets", "-9223372036854775808:9223372036854775808"},
       "t.csv",
       "--offsets must hold fewer than 2^64 offsets, not \"-9223372036854775808:9223372036854775808\""},
      {{"--dim", "8", "--offsets", "0:9223372036854775808"},
       "t.csv",
       "--offsets asks for 9223372036854775808 numbers, and a file must be smaller than 2^63 bytes"},
      {{"--dim", "8", "--offsets", "0:1152921504606846976"},
       "t.npy",
       "--offsets asks for 1152921504606846976 numbers, and a file must be smaller than 2^63 bytes"},
      {{"--dim", "8", "--offsets", "4:4"}, "t.png", "--offsets must hold at least one offset to draw"},
      {{"--dim", "8", "--offsets", "0:4", "--width", "300"}, "t.csv", "--width must be left out where no PNG is drawn"},
      {{"--dim", "8", "--offsets", "0:4", "--height", "300"},
       "t.npy",
       "--height must be left out where no PNG is drawn"},
      {{"--dim", "8", "--offsets", "0:4", "--width", "239"},
       "t.png",
       "--width must be an integer from 240 to 4000, not \"239\""},
      {{"--dim", "8", "--offsets", "0:4", "--amplitude", "1e200"},
       "t.png",
       "--amplitude must be one whose square times dim/2 a double holds, for a picture, not 1e+200"},
      {{"--dim", "7", "--offsets", "0:4"}, "t.csv", "--dim must be even, unless --odd is zero or drop-cos"},
      {{"--dim", "7", "--odd", "drop-cos", "--offsets", "0:4"},
       "t.csv",
       "for similarity --dim must be even, unless --odd is zero"},
      {{"--dim", "8", "--offsets", "0:4", "--base", "0"}, "t.csv", "--base must be finite and greater than 0"},
  };
  for (const auto& [options, name, sentence] : cases) {
    const Ended ended = RunSimilarity(options, directory / name);
    EXPECT_EQ(2, ended.exit_code);
    EXPECT_EQ("", ended.out);
    EXPECT_EQ("posenc: " + sentence + ".\n", ended.err);
    EXPECT_TRUE(directory.Names().empty());
  }
}

}  // namespace
}  // namespace posenc::cli_test
