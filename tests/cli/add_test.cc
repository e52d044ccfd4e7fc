// posenc add: arrays and options go in, the bytes of the sum are compared with encode's tables and with the formula.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/npy.h"
#include "tests/cli/program.h"
#include "tests/cli/rounding.h"

namespace posenc::cli_test {
namespace {

using Arguments = std::vector<std::string>;
using Shape = std::vector<std::size_t>;

struct Type {
  const char* name;
  const char* descr;
  std::size_t bytes;
};
constexpr Type kTypes[] = {{"f32", "<f4", 4}, {"f64", "<f8", 8}, {"f16", "<f2", 2}};

std::size_t ItemsIn(const Shape& shape) {
  std::size_t items = 1;
  for (const std::size_t length : shape) items *= length;
  return items;
}

std::string Zeros(const Type& type, const Shape& shape) {
  return NpyOf(HeaderText(type.descr, ShapeText(shape)) + "\n", std::string(ItemsIn(shape) * type.bytes, '\0'));
}

Arguments With(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Npy Sum(const std::string& file, const Arguments& options) {
  const TemporaryDirectory directory;
  WriteFile(directory / "x.npy", file);
  const Ended ended = RunProgram(With({"add", directory / "x.npy", "-o", directory / "y.npy"}, options));
  EXPECT_EQ(0, ended.exit_code) << ended.err;
  EXPECT_EQ("", ended.out);
  EXPECT_EQ("", ended.err);
  EXPECT_EQ((Arguments{"x.npy", "y.npy"}), directory.Names());
  return ParseNpy(ReadFile(directory / "y.npy"));
}

std::string Table(const Type& type, std::size_t dim, const Arguments& options) {
  const Ended ended =
      RunProgram(With({"encode", "--dtype", type.name, "--dim", std::to_string(dim), "-o", "-"}, options));
  EXPECT_EQ(0, ended.exit_code) << ended.err;
  return ParseNpy(ended.out).data;
}

std::string Repeated(const std::string& part, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

TEST(Add, ZerosGiveTheTableOfEverySequence) {
  const struct {
    Shape shape;
    std::size_t sequences;
    std::size_t length;
  } cases[] = {
      {{5, 8}, 1, 5},       {{3, 5, 8}, 3, 5},         {{2, 3, 5, 8}, 6, 5},    {{7, 1, 8}, 7, 1},
      {{1, 1, 1, 8}, 1, 1}, {{3, 1001, 128}, 3, 1001}, {{300, 3, 514}, 300, 3}, {{1, 2, 300000}, 1, 2},
  };
  for (const Type& type : kTypes) {
    for (const auto& [shape, sequences, length] : cases) {
      const Npy sum = Sum(Zeros(type, shape), {"--start", "3"});
      EXPECT_EQ(HeaderText(type.descr, ShapeText(shape)), sum.header);
      const std::string table = Table(type, shape.back(), {"--positions", "3:" + std::to_string(3 + length)});
      // EXPECT_EQ would print megabytes.
      EXPECT_TRUE(Repeated(table, sequences) == sum.data) << type.name << " " << ShapeText(shape);
    }
  }
}

TEST(Add, EverySpecOptionArrives) {
  const Arguments cases[] = {
      {"--base", "2.5"},           {"--layout", "split"},           {"--cos-first"},
      {"--spacing", "inclusive"},  {"--position-scale", "0.25"},    {"--amplitude", "3"},
      {"--inv-freq", "1,-2,.5,9"}, {"--odd", "zero", "--dim", "7"}, {"--odd", "drop-cos", "--dim", "7"},
  };
  for (const Type& type : kTypes) {
    const std::string plain = Table(type, 8, {"--positions", "1:41"});
    for (const Arguments& options : cases) {
      const std::size_t dim = options.back() == "7" ? 7 : 8;
      Arguments encode = options;
      if (dim == 7) encode.resize(2);
      const std::string table = Table(type, dim, With({"--positions", "1:41"}, encode));
      EXPECT_NE(plain, table);
      EXPECT_EQ(table, Sum(Zeros(type, {40, dim}), With({"--start", "1"}, options)).data);
      // The last axis says what --dim would.
      EXPECT_EQ(table, Sum(Zeros(type, {40, dim}), With({"--start", "1"}, encode)).data);
    }
  }
}

TEST(Add, PositionsStartAndStepInEverySequence) {
  const struct {
    Arguments options;
    std::string positions;
  } cases[] = {
      {{}, "0:6"},
      {{"--start", "-3"}, "-3:3"},
      {{"--step", "-2"}, "0:-12:-2"},
      {{"--start", "100", "--step", "7"}, "100:142:7"},
      {{"--start", "9223372036854775802"}, "9223372036854775802:9223372036854775808"},
      {{"--start", "-9223372036854775803", "--step=-1"}, "-9223372036854775803:-9223372036854775809:-1"},
      {{"--start", "-9223372036854775808", "--step", "3689348814741910323"},
       "-9223372036854775808:9223372036854775808:3689348814741910323"},
  };
  for (const Type& type : kTypes) {
    for (const auto& [options, positions] : cases) {
      EXPECT_EQ(Repeated(Table(type, 8, {"--positions", positions}), 3), Sum(Zeros(type, {3, 6, 8}), options).data)
          << positions;
    }
    EXPECT_EQ(Repeated(Table(type, 8, {"--positions", "5:6"}), 6),
              Sum(Zeros(type, {2, 3, 8}), {"--start", "5", "--step", "0"}).data);
  }
}

TEST(Add, PositionsFromAFileGoRoundOrCoverAllRows) {
  const TemporaryDirectory directory;
  const auto sum = [&directory](const Type& type, const Shape& shape, const std::string& positions) {
    WriteFile(directory / "p", positions);
    return Sum(Zeros(type, shape), {"--positions-file", directory / "p"}).data;
  };
  const auto table = [&directory](const Type& type, const std::string& positions) {
    WriteFile(directory / "q", positions);
    return Table(type, 8, {"--positions-file", directory / "q"});
  };
  for (const Type& type : kTypes) {
    for (const std::string positions : {"5 5 -1 70 3", "0.5 2 2 9007199254740993 1e-3"}) {
      EXPECT_EQ(Repeated(table(type, positions), 4), sum(type, {2, 2, 5, 8}, positions));
      EXPECT_EQ(table(type, positions), sum(type, {5, 1, 8}, positions));
    }
    const std::string all = "0 1 2 0 1 0 1 2 3 0";
    EXPECT_EQ(table(type, all), sum(type, {2, 5, 8}, all));
  }
  // A NaN position gives a row of NaN and leaves its neighbours alone.
  const std::vector<float> nan_row = ItemsOf<float>(sum(kTypes[0], {1, 3, 8}, "1 nan 1"));
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(i / 8 == 1, std::isnan(nan_row[i]));
  // More positions than one block of them holds, in sequences that end inside chunks.
  std::string many;
  for (int i = 0; i < 20000; ++i) many += std::to_string(i * 37 % 20011) + "\n";
  EXPECT_TRUE(Repeated(table(kTypes[2], many), 3) == sum(kTypes[2], {3, 20000, 8}, many));

  for (const char* const positions : {"1 2 3 4", "1 2 3 4 5 6", "", "1 2 3 4 5 6 7 8 9 10 11"}) {
    WriteFile(directory / "p", positions);
    WriteFile(directory / "x", Zeros(kTypes[0], {2, 5, 8}));
    const Ended ended =
        RunProgram({"add", directory / "x", "--positions-file", directory / "p", "-o", directory / "y"});
    EXPECT_EQ(1, ended.exit_code);
    const std::string begin = "posenc: --positions-file \"" + directory / "p" +
                              "\" must hold 5 positions, one for each row of a sequence of \"" + directory / "x" +
                              "\", or 10, one for each row of all, and holds ";
    EXPECT_TRUE(ended.err.starts_with(begin)) << ended.err;
    EXPECT_EQ((Arguments{"p", "q", "x"}), directory.Names());
  }
}

// x_scale * x + the paper's formula, rounded once.
void CheckSum(const std::vector<long double>& x, const std::vector<long double>& sum, long double x_scale,
              Format format) {
  constexpr std::size_t kDim = 8;
  ASSERT_EQ(x.size(), sum.size());
  RoundingCheck rounding(format);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double angle =
        static_cast<long double>(i / kDim) * std::pow(10000.0L, -static_cast<long double>(i % kDim / 2) / 4.0L);
    const long double encoding = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
    const long double scaled = x_scale * x[i];
    const long double slack = WaveSlack(angle, encoding) + 0x1p-63L * (std::fabs(scaled) + std::fabs(encoding));
    rounding.Check(scaled + encoding, slack, sum[i], std::to_string(i));
  }
}

TEST(Add, TheSumIsRoundedOnceToTheTypeOfTheArray) {
  constexpr std::size_t kRows = 5;  // small angles keep the reference good enough for double
  const struct {
    const char* option;
    double value;
  } scales[] = {{"1", 1.0}, {"-0.3", -0.3}, {"sqrt-dim", std::sqrt(8.0)}, {"0", 0.0}, {"1e-3", 1e-3}};
  for (const auto& [option, scale] : scales) {
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<std::uint16_t> halves;
    for (std::uint32_t i = 0; i < kRows * 8; ++i) {
      doubles.push_back(std::ldexp(static_cast<double>(i * 2654435761u % 2000003u) - 1e6, -19) / 3.0);
      floats.push_back(static_cast<float>(doubles.back()));
      halves.push_back(static_cast<std::uint16_t>((i % 2 << 15) + 0x2C00 + i * 211 % 0x1800));
    }
    const Arguments options = {"--x-scale", option};
    const std::vector<float> float_sum = ItemsOf<float>(Sum(NpyOf("<f4", {kRows, 8}, floats), options).data);
    CheckSum({floats.begin(), floats.end()}, {float_sum.begin(), float_sum.end()}, scale, kFloat);
    const std::vector<double> double_sum = ItemsOf<double>(Sum(NpyOf("<f8", {kRows, 8}, doubles), options).data);
    CheckSum({doubles.begin(), doubles.end()}, {double_sum.begin(), double_sum.end()}, scale, kDouble);
    std::vector<long double> half_x;
    for (const std::uint16_t bits : halves) half_x.push_back(HalfValue(bits));
    std::vector<long double> half_sum;
    for (const std::uint16_t bits : ItemsOf<std::uint16_t>(Sum(NpyOf("<f2", {kRows, 8}, halves), options).data)) {
      half_sum.push_back(HalfValue(bits));
    }
    CheckSum(half_x, half_sum, scale, kHalf);
  }
}

TEST(Add, EmptyArraysStayEmpty) {
  for (const Type& type : kTypes) {
    for (const Shape& shape : {Shape{0, 8}, Shape{3, 0, 8}, Shape{0, 5, 8}, Shape{0, 0, 8}}) {
      const Npy sum = Sum(Zeros(type, shape), {});
      EXPECT_EQ(HeaderText(type.descr, ShapeText(shape)), sum.header);
      EXPECT_EQ("", sum.data);
    }
  }
}

TEST(Add, ReadsEveryFormatAndOrderOfKeys) {
  const std::string data(64, '\0');
  const std::string expected = Sum(Zeros(kTypes[0], {2, 8}), {}).data;
  const std::string text = "{\"shape\": (2, 8), 'fortran_order':False,'descr': '<f4'}" + std::string(1000, ' ') + "\n";
  for (const char major : {'\1', '\2', '\3'}) {
    const Npy sum = Sum(NpyOf(text, data, major), {});
    EXPECT_EQ(HeaderText("<f4", "2, 8"), sum.header);
    EXPECT_EQ(expected, sum.data);
  }
}

TEST(Add, DashIsStdinAndStdout) {
  for (const Type& type : kTypes) {
    for (const Shape& shape : {Shape{2, 3, 8}, Shape{2, 5000, 32}, Shape{0, 8}}) {
      const std::string x = Zeros(type, shape);
      const Ended piped = RunWithInput({"add", "-", "-o", "-"}, x);
      EXPECT_EQ(0, piped.exit_code) << piped.err;
      EXPECT_EQ("", piped.err);
      EXPECT_TRUE(Sum(x, {}).data == ParseNpy(piped.out).data);
    }
  }
  // Positions from stdin, and not both.
  const TemporaryDirectory directory;
  WriteFile(directory / "x", Zeros(kTypes[0], {2, 8}));
  const Ended positions = RunWithInput({"add", directory / "x", "--positions-file", "-", "-o", "-"}, "4 5");
  EXPECT_EQ(0, positions.exit_code) << positions.err;
  EXPECT_EQ(Table(kTypes[0], 8, {"--positions", "4:6"}), ParseNpy(positions.out).data);
  const Ended both = RunWithInput({"add", "-", "--positions-file", "-", "-o", "-"}, Zeros(kTypes[0], {2, 8}));
  EXPECT_EQ(2, both.exit_code);
  EXPECT_EQ("posenc: --positions-file must be a file when the array comes from stdin.\n", both.err);
}

TEST(Add, TheOutputMayBeTheInput) {
  const TemporaryDirectory directory;
  const std::string x = Zeros(kTypes[0], {3, 4000, 64});
  const Npy expected = Sum(x, {});
  WriteFile(directory / "x", x);
  std::filesystem::create_symlink("x", directory / "link");
  EXPECT_EQ(0, RunProgram({"add", directory / "x", "-o", directory / "link"}).exit_code);
  EXPECT_EQ((Arguments{"link", "x"}), directory.Names());
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_TRUE(expected.data == ParseNpy(ReadFile(directory / "x")).data);
}

TEST(Add, AFailedWriteLeavesTheOldFileAndNoOther) {
  const TemporaryDirectory directory;
  const std::string x = Zeros(kTypes[0], {12000, 64});
  WriteFile(directory / "x", x);
  const auto expect_failure = [](const Ended& ended, const std::string& sentence) {
    EXPECT_EQ(1, ended.exit_code);
    EXPECT_EQ("", ended.out);
    EXPECT_EQ("posenc: " + sentence + ".\n", ended.err);
  };
  expect_failure(RunProgram({"add", directory / "x", "-o", "/dev/full"}),
                 "cannot write -o \"/dev/full\": No space left on device");
  for (const std::size_t limit : {1000u, 1u << 16, 2u << 20}) {
    expect_failure(RunWithFileLimit({"add", directory / "x", "-o", directory / "x"}, limit),
                   "cannot write -o \"" + directory / "x" + "\": File too large");
    EXPECT_EQ(Arguments{"x"}, directory.Names());
    EXPECT_TRUE(x == ReadFile(directory / "x"));
  }
  // A pipe that ends too soon is found out after megabytes have been written.
  expect_failure(RunWithInput({"add", "-", "-o", directory / "x"}, x.substr(0, x.size() - 1)),
                 "stdin ends before the data that its header announces");
  expect_failure(RunWithInput({"add", "-", "-o", directory / "x"}, x + "x"),
                 "stdin must end with the data that its header announces");
  EXPECT_EQ(Arguments{"x"}, directory.Names());
  EXPECT_TRUE(x == ReadFile(directory / "x"));
}

TEST(Add, RefusedOptionsGiveASentenceAndNoFile) {
  const TemporaryDirectory directory;
  WriteFile(directory / "x", Zeros(kTypes[0], {4, 8}));
  WriteFile(directory / "p", "0 1 2 3");
  const std::string scale_rule = "--x-scale must be sqrt-dim, or a number such as 0.5 or 1e4 that a double holds, not ";
  const struct {
    Arguments options;
    std::string sentence;
  } cases[] = {
      {{"--x-scale", "inf"}, "--x-scale must be finite"},
      {{"--x-scale", "nan"}, "--x-scale must be finite"},
      {{"--x-scale", "sqrt"}, scale_rule + "\"sqrt\""},
      {{"--x-scale", "1e999"}, scale_rule + "\"1e999\""},
      {{"--x-scale", ""}, scale_rule + "\"\""},
      {{"--start", "0.5"}, "--start must be a 64-bit integer such as 0 or -5, not \"0.5\""},
      {{"--start", "9223372036854775808"},
       "--start must be a 64-bit integer such as 0 or -5, not \"9223372036854775808\""},
      {{"--step", "x"}, "--step must be a 64-bit integer such as 0 or -5, not \"x\""},
      {{"--start", "9223372036854775805"}, "--start + (rows - 1) * --step must be an int64, with 4 rows"},
      {{"--start", "-9223372036854775806", "--step", "-1"},
       "--start + (rows - 1) * --step must be an int64, with 4 rows"},
      {{"--step", "9223372036854775807"}, "--start + (rows - 1) * --step must be an int64, with 4 rows"},
      {{"--step", "-9223372036854775808"}, "--start + (rows - 1) * --step must be an int64, with 4 rows"},
      {{"--positions-file", directory / "p", "--start", "0"}, "--positions-file must stand without --start and --step"},
      {{"--positions-file", directory / "p", "--step", "1"}, "--positions-file must stand without --start and --step"},
      {{"--dim", "eight"}, "--dim must be an integer such as 512, not \"eight\""},
      {{"--dim", "0"}, "--dim must be from 1 to 2^26"},
      {{"--dim", "7"}, "--dim must be even, unless --odd is zero or drop-cos"},
      {{"--base", "0"}, "--base must be finite and greater than 0"},
      {{"--inv-freq", "1"},
       "--inv-freq must be left out or hold one value a frequency: floor(dim/2), or ceil(dim/2) with drop-cos"},
  };
  for (const auto& [options, sentence] : cases) {
    const Ended ended = RunProgram(With({"add", directory / "x", "-o", directory / "y"}, options));
    EXPECT_EQ(2, ended.exit_code) << sentence;
    EXPECT_EQ("", ended.out);
    EXPECT_EQ("posenc: " + sentence + ".\n", ended.err);
    EXPECT_EQ((Arguments{"p", "x"}), directory.Names());
  }
  EXPECT_EQ(2, RunProgram({"add", "-o", directory / "y"}).exit_code);
  EXPECT_EQ(2, RunProgram({"add", directory / "x"}).exit_code);
  EXPECT_EQ(2, RunProgram({"add", directory / "x", directory / "p", "-o", directory / "y"}).exit_code);
  EXPECT_EQ(2, RunProgram({"add", "", "-o", directory / "y"}).exit_code);
  EXPECT_EQ((Arguments{"p", "x"}), directory.Names());
}

TEST(Add, LargeArraysNeedNoMoreMemoryThanSmallOnes) {
  const TemporaryDirectory directory;
  // Beyond 2 GiB where that is quick; a file with a hole takes no room on the disk.
  const std::size_t rows = MemoryIsItsOwn() ? 1'200'000 : 12'000;
  const std::string header = NpyOf(HeaderText("<f4", "2, " + std::to_string(rows / 2) + ", 512") + "\n", "");
  WriteFile(directory / "x", header);
  std::filesystem::resize_file(directory / "x", header.size() + rows * 512 * 4);
  const Ended ended = RunProgram({"add", directory / "x", "-o", "/dev/null"}, kBoundedMemory);
  EXPECT_EQ(0, ended.exit_code) << ended.err;
}

}  // namespace
}  // namespace posenc::cli_test
