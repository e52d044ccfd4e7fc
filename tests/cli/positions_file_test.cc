// encode --positions-file: every kind of number in a .npy or a text goes in, the rows of exactly these positions come
// out, or a sentence that names the file.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/cli/npy.h"
#include "tests/cli/program.h"
#include "tests/reference.h"

namespace posenc::cli_test {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

using Arguments = std::vector<std::string>;

Arguments EncodeFrom(const std::string& path, const std::string& output) {
  return {"encode", "--dim", "6", "--dtype", "f64", "--positions-file", path, "-o", output};
}

Npy Encoded(const std::string& file) {
  const TemporaryDirectory directory;
  WriteFile(directory / "p", file);
  const Ended ended = RunProgram(EncodeFrom(directory / "p", "-"));
  EXPECT_EQ(0, ended.exit_code) << ended.err;
  EXPECT_EQ("", ended.err);
  return ParseNpy(ended.out);
}

// The rows of integers by way of --positions, which has no file.
std::string RowsOf(const std::vector<std::int64_t>& positions) {
  std::string rows;
  for (const std::int64_t p : positions) {
    const std::string start = std::to_string(p);
    const std::string end = p == kHighest ? "9223372036854775808" : std::to_string(p + 1);
    const Ended ended =
        RunProgram({"encode", "--dim", "6", "--dtype", "f64", "--positions", start + ":" + end, "-o", "-"});
    EXPECT_EQ(0, ended.exit_code) << ended.err;
    rows += ParseNpy(ended.out).data;
  }
  return rows;
}

template <class T>
std::string FileOf(const std::string& descr, const std::vector<std::int64_t>& positions) {
  return NpyOf(descr, {positions.size()}, std::vector<T>(positions.begin(), positions.end()));
}

TEST(PositionsFile, EveryIntegerTypeIsExact) {
  const std::vector<std::int64_t> small = {0, 1, 5, 127};
  const std::string rows = RowsOf(small);
  EXPECT_EQ(rows, Encoded(FileOf<std::int8_t>("|i1", small)).data);
  EXPECT_EQ(rows, Encoded(FileOf<std::uint8_t>("|u1", small)).data);
  EXPECT_EQ(rows, Encoded(FileOf<std::int16_t>("<i2", small)).data);
  EXPECT_EQ(rows, Encoded(FileOf<std::uint16_t>("<u2", small)).data);
  EXPECT_EQ(rows, Encoded(FileOf<std::int32_t>("<i4", small)).data);
  EXPECT_EQ(rows, Encoded(FileOf<std::uint32_t>("<u4", small)).data);
  EXPECT_EQ(rows, Encoded(FileOf<std::int64_t>("<i8", small)).data);
  EXPECT_EQ(rows, Encoded(FileOf<std::uint64_t>("<u8", small)).data);
  EXPECT_EQ(HeaderText("<f8", "4, 6"), Encoded(FileOf<std::int8_t>("|i1", small)).header);
  // The ends of each type, which the next smaller one does not hold.
  const auto expect_ends = []<class T>(const char* descr, T) {
    const std::vector<std::int64_t> ends = {
        std::numeric_limits<T>::min(),
        static_cast<std::int64_t>(std::numeric_limits<T>::max() >> (descr[1] == 'u' && sizeof(T) == 8))};
    EXPECT_EQ(RowsOf(ends), Encoded(FileOf<T>(descr, ends)).data) << descr;
  };
  expect_ends("|i1", std::int8_t{});
  expect_ends("|u1", std::uint8_t{});
  expect_ends("<i2", std::int16_t{});
  expect_ends("<u2", std::uint16_t{});
  expect_ends("<i4", std::int32_t{});
  expect_ends("<u4", std::uint32_t{});
  expect_ends("<i8", std::int64_t{});
  expect_ends("<u8", std::uint64_t{});
  // A double would round it.
  const std::vector<std::int64_t> odd = {(std::int64_t{1} << 53) + 1};
  EXPECT_NE(RowsOf({odd[0] - 1}), RowsOf(odd));
  EXPECT_EQ(RowsOf(odd), Encoded(FileOf<std::int64_t>("<i8", odd)).data);
}

TEST(PositionsFile, FloatsAreTheNumberTheyHold) {
  const std::vector<double> reals = {0.0, 0.5, -3.25, 998.5, 65504.0, 0x1p-24, 0x1p-14 - 0x1p-24, INFINITY, -INFINITY};
  const Npy expected = Encoded(NpyOf("<f8", {reals.size()}, reals));
  const std::vector<double> values = ItemsOf<double>(expected.data);
  ASSERT_EQ(reals.size() * 6, values.size());
  test::Reference reference({.dim = 6});
  for (std::size_t r = 0; r < reals.size(); ++r) {
    std::vector<double> row(6);
    reference.Row(reals[r], row.data());
    for (std::size_t c = 0; c < 6; ++c) {
      if (std::isfinite(reals[r])) {
        EXPECT_EQ(row[c], values[6 * r + c]) << reals[r] << " column " << c;
      } else {
        EXPECT_TRUE(std::isnan(values[6 * r + c])) << reals[r] << " column " << c;
      }
    }
  }
  EXPECT_EQ(expected.data, Encoded(NpyOf("<f4", {reals.size()}, std::vector<float>(reals.begin(), reals.end()))).data);
  const std::vector<std::uint16_t> halves = {0x0000, 0x3800, 0xC280, 0x63CD, 0x7BFF, 0x0001, 0x03FF, 0x7C00, 0xFC00};
  for (std::size_t r = 0; r < reals.size(); ++r) ASSERT_EQ(reals[r], HalfValue(halves[r]));
  EXPECT_EQ(expected.data, Encoded(NpyOf("<f2", {reals.size()}, halves)).data);
  // Every NaN of every type, and nothing of it in the next row.
  const std::string one = RowsOf({1});
  for (const Npy& npy :
       {Encoded(NpyOf("<f8", {2}, std::vector<double>{NAN, 1})), Encoded(NpyOf("<f4", {2}, std::vector<float>{NAN, 1})),
        Encoded(NpyOf("<f2", {2}, std::vector<std::uint16_t>{0xFE01, 0x3C00})), Encoded("nan 1")}) {
    EXPECT_TRUE(std::isnan(ItemsOf<double>(npy.data)[0]));
    EXPECT_EQ(one, npy.data.substr(48));
  }
  // The sign of zero, and both ends of the domain.
  EXPECT_TRUE(std::signbit(ItemsOf<double>(Encoded(NpyOf("<f8", {1}, std::vector<double>{-0.0})).data)[0]));
  EXPECT_TRUE(std::signbit(ItemsOf<double>(Encoded(NpyOf("<f2", {1}, std::vector<std::uint16_t>{0x8000})).data)[0]));
  const std::string ends = Encoded(NpyOf("<f8", {2}, std::vector<double>{-0x1p63, 0x1p63})).data;
  EXPECT_EQ(RowsOf({kLowest}), ends.substr(0, 48));
}

TEST(PositionsFile, TextHoldsIntegersAndReals) {
  EXPECT_EQ(RowsOf({0, 1, -2, 30}), Encoded("0\n1\n-2\n30\n").data);
  EXPECT_EQ(RowsOf({0, 1, -2, 30}), Encoded("# head\n\t0 1\r\n-2#tail 7\n\n  30").data);
  EXPECT_EQ(RowsOf({kLowest, kHighest}), Encoded("-9223372036854775808 9223372036854775807").data);
  EXPECT_EQ(RowsOf({1000, -5}), Encoded("1e3\n-5.0\n").data);
  // Integers stay exact beside reals, on both sides of where doubles hold them.
  const std::int64_t limit = std::int64_t{1} << 53;
  const std::vector<std::int64_t> around = {limit - 1, limit, limit + 1, -limit, -limit - 1, 7};
  std::string text = "3.0 ";
  for (const std::int64_t p : around) text += std::to_string(p) + " 3.0 ";
  std::vector<std::int64_t> all = {3};
  for (const std::int64_t p : around) all.insert(all.end(), {p, 3});
  EXPECT_EQ(RowsOf(all), Encoded(text).data);
  const std::vector<double> reals = {0.1, -1e-300, 123456.789, 0x1p63};
  EXPECT_EQ(Encoded(NpyOf("<f8", {4}, reals)).data, Encoded("0.1 -1e-300 123456.789 9223372036854775808.0").data);
  for (const char* const empty : {"", "\n", "# no position\n", "#"}) {
    EXPECT_EQ(HeaderText("<f8", "0, 6"), Encoded(empty).header) << empty;
  }
}

// Editors of Windows begin a file with it.
TEST(PositionsFile, AByteOrderMarkAtTheStartOfATextIsSkipped) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(RowsOf({0, 1, -2}), Encoded(mark + "0\r\n1\r\n-2\r\n").data);
  EXPECT_EQ(RowsOf({5}), Encoded(mark + "# head\r\n5").data);
  EXPECT_EQ(HeaderText("<f8", "0, 6"), Encoded(mark).header);
  EXPECT_EQ(RowsOf({7, 8}), ParseNpy(RunWithInput(EncodeFrom("-", "-"), mark + "7 8").out).data);
  // Positions that go round begin behind it again.
  const TemporaryDirectory directory;
  WriteFile(directory / "x.npy", NpyOf("<f8", {3, 2, 6}, std::vector<double>(36)));
  WriteFile(directory / "p", mark + "7 8");
  const Ended added =
      RunProgram({"add", directory / "x.npy", "--positions-file", directory / "p", "-o", directory / "y.npy"});
  EXPECT_EQ("", added.err);
  EXPECT_EQ(RowsOf({7, 8, 7, 8, 7, 8}), ParseNpy(ReadFile(directory / "y.npy")).data);
  // A text of frequencies is one too.
  WriteFile(directory / "w", mark + "1, 0.5\r\n2\r\n");
  const auto encode = [](const std::string& frequencies) {
    return RunProgram({"encode", "--dim", "6", "--positions", "0:9", "--inv-freq", frequencies, "-o", "-"});
  };
  EXPECT_EQ("", encode("@" + directory / "w").err);
  EXPECT_EQ(encode("1,0.5,2").out, encode("@" + directory / "w").out);
}

TEST(PositionsFile, ManyBlocksOfTextAreRead) {
  // Words of many lengths fall on every place of a block's border, comments longer than a block between them.
  std::string text;
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < 40000; ++i) {
    positions.push_back(i * i * i * 7 - 5 * i);
    text += std::to_string(positions.back());
    text +=
        i % 9000 == 8999 ? "#" + std::string(70000, '7') + "\n" : std::string(static_cast<std::size_t>(i % 4 + 1), ' ');
  }
  const Npy expected = Encoded(FileOf<std::int64_t>("<i8", positions));
  EXPECT_EQ(HeaderText("<f8", "40000, 6"), expected.header);
  EXPECT_EQ(expected.data, Encoded(text).data);
  EXPECT_EQ(RowsOf({positions[8191], positions[8192], positions[39999]}),
            expected.data.substr(8191 * 48, 96) + expected.data.substr(39999 * 48));
}

TEST(PositionsFile, AnyShapeIsReadRowByRow) {
  const std::vector<std::int32_t> positions = {4, 8, 15, 16, 23, 42};
  const std::string rows = RowsOf({4, 8, 15, 16, 23, 42});
  for (const std::vector<std::size_t>& shape : {std::vector<std::size_t>{6}, {2, 3}, {1, 3, 2, 1}}) {
    const Npy npy = Encoded(NpyOf("<i4", shape, positions));
    EXPECT_EQ(HeaderText("<f8", "6, 6"), npy.header);
    EXPECT_EQ(rows, npy.data);
  }
  EXPECT_EQ(RowsOf({9}), Encoded(NpyOf("<i4", {}, std::vector<std::int32_t>{9})).data);
  EXPECT_EQ("", Encoded(NpyOf("<i4", {3, 0}, std::vector<std::int32_t>{})).data);
}

TEST(PositionsFile, DashIsStdinAsPipeOrFile) {
  const TemporaryDirectory directory;
  const std::vector<std::int64_t> positions = {7, -7, 1000000007};
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i < 100000; ++i) many.push_back(i * 31);
  for (const std::string& file : {std::string("7 -7 # seven\n1000000007\n"), FileOf<std::int64_t>("<i8", positions),
                                  FileOf<std::int64_t>("<i8", many)}) {
    const Npy expected = Encoded(file);
    const Ended piped = RunWithInput(EncodeFrom("-", "-"), file);
    EXPECT_EQ(0, piped.exit_code) << piped.err;
    EXPECT_EQ(expected.data, ParseNpy(piped.out).data);
    // Where the descriptor stands is where the file begins.
    WriteFile(directory / "p", "skipped" + file);
    const int in = open((directory / "p").c_str(), O_RDONLY | O_CLOEXEC);
    const int out = open((directory / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_EQ(7, lseek(in, 7, SEEK_SET));
    EXPECT_EQ(0, WaitFor(StartProgram(EncodeFrom("-", "-"), {.out = out, .err = out, .in = in})).exit_code);
    close(in);
    close(out);
    EXPECT_EQ(expected.data, ParseNpy(ReadFile(directory / "out")).data);
  }
  EXPECT_EQ("", ParseNpy(RunWithInput(EncodeFrom("-", "-"), "").out).data);
}

TEST(PositionsFile, WhatIsNoPositionIsRefusedBeforeAnythingIsWritten) {
  const TemporaryDirectory directory;
  const std::string rule =
      " must be a .npy file or text with numbers between blanks, integers from -2^63 to 2^63 - 1 or reals such as 0.5 "
      "or 1e4 that a double holds; position ";
  const std::string mark = "\xEF\xBB\xBF";
  const std::string limit = ": every position must be NaN, infinite, or at most 2^63 in absolute value; position ";
  std::vector<double> late(20000, 1.0);
  late[19999] = -0x1.0000000000001p63;
  const struct {
    std::string file;
    std::string sentence;
  } cases[] = {
      {"1 two 3", rule + "1 (from 0) is \"two\""},
      {"1,2", rule + "0 (from 0) is \"1,2\""},
      {"+1", rule + "0 (from 0) is \"+1\""},
      {"0x10", rule + "0 (from 0) is \"0x10\""},
      {"1 -", rule + "1 (from 0) is \"-\""},
      // One mark, whole and at the start, is skipped.
      {mark + mark + "1", rule + "0 (from 0) is \"" + mark + "1\""},
      {mark.substr(0, 2) + "1", rule + "0 (from 0) is \"" + mark.substr(0, 2) + "1\""},
      {"1 " + mark + "1", rule + "1 (from 0) is \"" + mark + "1\""},
      {std::string("1\0", 2), rule + "0 (from 0) is \"1?\""},
      {"9223372036854775808", rule + "0 (from 0) is \"9223372036854775808\""},
      {"-9223372036854775809", rule + "0 (from 0) is \"-9223372036854775809\""},
      {"1e999", rule + "0 (from 0) is \"1e999\""},
      {"0.5 1e-999", rule + "1 (from 0) is \"1e-999\""},
      {"0 " + std::string(200000, '0'), rule + "1 (from 0) is \"" + std::string(80, '0') + "...\""},
      {"0 1e19", limit + "1 (from 0) is 1e+19"},
      {NpyOf("<f4", {2}, std::vector<float>{0, -1e30f}), limit + "1 (from 0) is -1.0000000150474662e+30"},
      {NpyOf("<f8", {20000}, late), limit + "19999 (from 0) is -9223372036854777856"},
      {NpyOf("<u8", {3}, std::vector<std::uint64_t>{0, std::uint64_t{1} << 63, 1}),
       " must hold positions of at most 2^63 - 1; position 1 (from 0) is 9223372036854775808"},
      {NpyOf(">i8", {1}, std::vector<std::int64_t>{1}),
       " must hold numbers in the byte order of this machine, not \">i8\""},
  };
  for (const auto& [file, sentence] : cases) {
    WriteFile(directory / "p", file);
    for (const std::string& output : {directory / "out", std::string("-")}) {
      const Ended ended = RunProgram(EncodeFrom(directory / "p", output));
      EXPECT_EQ(1, ended.exit_code);
      EXPECT_EQ("", ended.out);
      EXPECT_EQ("posenc: --positions-file \"" + directory / "p" + "\"" + sentence + ".\n", ended.err);
      EXPECT_EQ(std::vector<std::string>{"p"}, directory.Names());
    }
  }
  const Ended missing = RunProgram(EncodeFrom(directory / "none", directory / "out"));
  EXPECT_EQ(1, missing.exit_code);
  EXPECT_EQ("posenc: cannot read --positions-file \"" + directory / "none" + "\": No such file or directory.\n",
            missing.err);
}

TEST(PositionsFile, ExactlyOneKindOfPositionsIsGiven) {
  const TemporaryDirectory directory;
  WriteFile(directory / "p", "1");
  Arguments both = EncodeFrom(directory / "p", directory / "out");
  both.insert(both.end(), {"--positions", "0:4"});
  Arguments length = EncodeFrom(directory / "p", directory / "out");
  length.insert(length.end(), {"--length", "4"});
  const Arguments ranges = {"encode", "--dim", "8", "--length", "4", "--positions", "0:4", "-o", directory / "out"};
  for (const Arguments& arguments : {both, length, ranges, {"encode", "--dim", "8", "-o", directory / "out"}}) {
    const Ended ended = RunProgram(arguments);
    EXPECT_EQ(2, ended.exit_code);
    EXPECT_EQ("posenc: one of --positions, --length and --positions-file must be given, and only one.\n", ended.err);
  }
  const Ended empty = RunProgram(EncodeFrom("", directory / "out"));
  EXPECT_EQ(2, empty.exit_code);
  EXPECT_EQ("posenc: --positions-file \"\" must be the path of a file, or - for stdin.\n", empty.err);
  EXPECT_EQ(std::vector<std::string>{"p"}, directory.Names());
}

}  // namespace
}  // namespace posenc::cli_test
