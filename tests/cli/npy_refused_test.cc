// Files that are no array, or none that is allowed: truncated, hostile and foreign .npy go in, exit code 1 and one
// sentence that names the file come out, and no output.

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/npy.h"
#include "tests/cli/program.h"

namespace posenc::cli_test {
namespace {

struct RefusedFile {
  std::string name;
  std::string bytes;
  std::string rule;  // part of the sentence
};

void PrintTo(const RefusedFile& file, std::ostream* stream) { *stream << file.name; }

constexpr char kNoNpy[] = "must be a .npy file: its first bytes are \\x93NUMPY";
constexpr char kVersion[] = "must be a .npy file of format 1.0, 2.0 or 3.0";
constexpr char kLength[] = "must have a header of at most 65536 bytes";
constexpr char kText[] =
    "must have the header that NumPy writes, {'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), } and a new "
    "line";
constexpr char kNumbers[] = "must hold plain integers of 1, 2, 4 or 8 bytes or floats of 2, 4 or 8 bytes";
constexpr char kOrder[] = "must be in C order (fortran_order False), not in Fortran order";
constexpr char kShape[] = "must have a shape of at most 64 axes, each an integer from 0 to 2^63 - 1";
constexpr char kSize[] = "must have a shape that asks for fewer than 2^62 bytes";
constexpr char kEnds[] = "must be a .npy file, and ends inside its header";

std::string Repeated(const std::string& part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

// Files that break a rule of the format itself; both commands refuse them.
std::vector<RefusedFile> RefusedFiles() {
  const std::string good = NpyOf(HeaderText("<f4", "4, 8") + "\n", std::string(128, '\0'));
  const std::size_t header_bytes = good.size() - 128;
  const auto text = [](const std::string& header) { return NpyOf(header, std::string(128, '\0')); };
  const auto descr = [&text](const std::string& value) { return text(HeaderText(value, "4, 8") + "\n"); };
  const auto shape = [&text](const std::string& value) { return text(HeaderText("<f4", value) + "\n"); };
  const std::string one_axis_short = Repeated("1, ", 63);
  const std::string parts = kNumbers + std::string(", not items of several parts");
  std::vector<RefusedFile> files = {
      {"MagicOnly", good.substr(0, 6), kEnds},
      {"PartOfMagic", good.substr(0, 3), kEnds},
      {"NoLength", good.substr(0, 8), kEnds},
      {"HalfALength", good.substr(0, 9), kEnds},
      {"NoText", good.substr(0, 10), kEnds},
      {"HalfAText", good.substr(0, 40), kEnds},
      {"LastByteOfTextMissing", good.substr(0, header_bytes - 1), kEnds},
      {"WrongMagic", "\x93NUMPI" + good.substr(6), kNoNpy},
      {"Version0", NpyOf(HeaderText("<f4", "4, 8") + "\n", "", 0), kVersion},
      {"Version4", NpyOf(HeaderText("<f4", "4, 8") + "\n", "", 4), kVersion},
      {"Version1Minor1", NpyOf(HeaderText("<f4", "4, 8") + "\n", "", 1, 1), kVersion},
      {"Version255", NpyOf(HeaderText("<f4", "4, 8") + "\n", "", '\xFF'), kVersion},
      {"HeaderOf4GiB", std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12) + std::string(1000, ' '), kLength},
      {"HeaderOf2GiB", std::string("\x93NUMPY\x03\x00\x00\x00\x00\x80", 12) + std::string(1000, ' '), kLength},
      {"HeaderOf64KiB", std::string("\x93NUMPY\x02\x00\x00\x00\x01\x00", 12) + std::string(1 << 17, ' '), kLength},
      {"HeaderOf64KiBOfVersion1", std::string("\x93NUMPY\x01\x00\xFF\xFF", 10) + std::string(1 << 17, ' '), kLength},
      {"HeaderLongerThanFile", std::string("\x93NUMPY\x02\x00\x00\xF0\x00\x00", 12) + std::string(100, ' '), kEnds},
      {"EmptyText", text(""), kText},
      {"NewLineOnly", text("\n"), kText},
      {"NoNewLine", text(HeaderText("<f4", "4, 8")), kText},
      {"TwoNewLines", text(HeaderText("<f4", "4, 8") + "\n\n"), kText},
      {"Blanks", text(std::string(60000, ' ') + "\n"), kText},
      {"Zeros", text(std::string(100, '\0') + "\n"), kText},
      {"DeepBraces", text(std::string(60000, '{') + "\n"), kText},
      {"DeepParentheses", shape(std::string(60000, '(')), kShape},
      {"DeepDescr", text("{'descr': " + std::string(60000, '[') + "\n"), kNumbers},
      {"OpenString", text("{'descr" + std::string(1000, 'x') + "\n"), kText},
      {"EmptyDictionary", text("{}\n"), kText},
      {"TextAfterDictionary", text(HeaderText("<f4", "4, 8") + " + exit()\n"), kText},
      {"Expression", text("__import__('os').system('true')\n"), kText},
      {"NoDescr", text("{'fortran_order': False, 'shape': (4, 8), }\n"), kText},
      {"NoOrder", text("{'descr': '<f4', 'shape': (4, 8), }\n"), kText},
      {"NoShape", text("{'descr': '<f4', 'fortran_order': False, }\n"), kText},
      {"DescrTwice", text("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), }\n"), kText},
      {"ShapeTwice", text("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), 'shape': (1, 2), }\n"), kText},
      {"UnknownKey", text("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), 'x': 1, }\n"), kText},
      {"EscapedKey", text("{'d\\x65scr': '<f4', 'fortran_order': False, 'shape': (4, 8), }\n"), kText},
      {"NoComma", text("{'descr': '<f4' 'fortran_order': False, 'shape': (4, 8), }\n"), kText},
      {"OrderIsANumber", text("{'descr': '<f4', 'fortran_order': 0, 'shape': (4, 8), }\n"), kText},
      {"FortranOrder", text("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 8), }\n"), kOrder},
      {"Object", descr("|O"), kNumbers + std::string(", not \"|O\"")},
      {"Structured", text("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4, 8), }\n"), parts},
      {"Subarray", text("{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (4, 4), }\n"), parts},
      {"Complex", descr("<c8"), kNumbers},
      {"Text", descr("<U4"), kNumbers},
      {"Bool", descr("|b1"), kNumbers},
      {"LongDouble", descr("<f16"), kNumbers},
      {"ItemOf0Bytes", descr("<f0"), kNumbers},
      {"ItemOf3Bytes", descr("<f3"), kNumbers},
      {"ItemOf2To64Bytes", descr("<f18446744073709551616"), kNumbers},
      {"NoOrderOfBytes", descr("|f4"), kNumbers},
      {"EmptyDescr", descr(""), kNumbers},
      {"ControlCharactersInDescr", descr("\033[2J"), "not \"?[2J\""},
      {"NegativeAxis", shape("-4, 8"), kShape},
      {"NegativeProduct", shape("-4, -8"), kShape},
      {"AxisBeyond2To63", shape("9223372036854775808, 8"), kShape},
      {"AxisBeyond2To64", shape("18446744073709551620, 8"), kShape},
      {"AxisOfManyDigits", shape(std::string(60000, '9') + ", 8"), kShape},
      {"AxisIsReal", shape("4.0, 8"), kShape},
      {"AxisIsHex", shape("0x4, 8"), kShape},
      {"AxisHasLeadingZero", shape("04, 8"), kShape},
      {"AxisIsEmpty", shape("4, , 8"), kShape},
      {"CommaOnly", shape(","), kShape},
      {"NoTuple", shape("32"), kShape},
      {"AxesBeyond64", shape(one_axis_short + "1, 32"), kShape},
      {"AxesBeyond1000", shape(Repeated("1, ", 1000)), kShape},
      {"ProductIs2To64", shape("4294967296, 4294967296"), kSize},
      {"ProductWrapsTo32", shape("4611686018427387912, 4"), kSize},
      {"BytesAre2To62", shape("1152921504606846976, 1"), kSize},
      {"EmptyButHuge", shape("0, 9223372036854775807, 9223372036854775807"), kSize},
      {"DataMissing", good.substr(0, header_bytes),
       "must hold the 128 bytes of data that its header announces, and "
       "holds 0"},
      {"LastByteMissing", good.substr(0, good.size() - 1),
       "the 128 bytes of data that its header announces, and holds "
       "127"},
      {"ByteTooMany", good + "x", "the 128 bytes of data that its header announces, and holds 129"},
      {"TwoArrays", good + good, "the 128 bytes of data that its header announces, and holds"},
      {"Exabyte", shape("31250000000000000, 8"), "the 1000000000000000000 bytes of data that its header announces"},
  };
  return files;
}

void ExpectRefused(const Ended& ended, const std::string& name, const std::string& rule) {
  EXPECT_EQ(1, ended.exit_code);
  EXPECT_EQ("", ended.out);
  EXPECT_TRUE(ended.err.starts_with("posenc: " + name + " ")) << ended.err;
  EXPECT_NE(std::string::npos, ended.err.find(rule)) << ended.err;
  EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << "more than one line: " << ended.err;
}

class RefusedNpy : public testing::TestWithParam<RefusedFile> {};

TEST_P(RefusedNpy, GivesASentenceAndNoFile) {
  const TemporaryDirectory directory;
  const std::string path = directory / "x";
  WriteFile(path, GetParam().bytes);
  const std::string quoted = path.size() > 80 ? "\"" + path.substr(0, 80) + "...\"" : "\"" + path + "\"";
  const std::vector<std::string> names = {"x"};
  // add takes fewer types, and says so.
  std::string add_rule = GetParam().rule;
  if (add_rule.starts_with(kNumbers)) add_rule.replace(0, sizeof(kNumbers) - 1, "must hold <f4, <f8 or <f2");
  ExpectRefused(RunProgram({"add", path, "-o", directory / "out"}, kBoundedMemory), quoted, add_rule);
  EXPECT_EQ(names, directory.Names());
  ExpectRefused(RunProgram({"encode", "--dim", "8", "--positions-file", path, "-o", directory / "out"}, kBoundedMemory),
                "--positions-file " + quoted, GetParam().rule);
  EXPECT_EQ(names, directory.Names());
  // A pipe has no size: data that are missing or too many show at their end.
  const bool size_is_wrong = GetParam().rule.find("announces") != std::string::npos;
  ExpectRefused(RunWithInput({"add", "-", "-o", directory / "out"}, GetParam().bytes, kBoundedMemory), "stdin",
                size_is_wrong ? "the data that its header announces" : add_rule);
  EXPECT_EQ(names, directory.Names());
  ExpectRefused(RunWithInput({"encode", "--dim", "8", "--positions-file", "-", "-o", directory / "out"},
                             GetParam().bytes, kBoundedMemory),
                "--positions-file stdin", GetParam().rule);
  EXPECT_EQ(names, directory.Names());
}

INSTANTIATE_TEST_SUITE_P(Files, RefusedNpy, testing::ValuesIn(RefusedFiles()),
                         [](const auto& instance) { return instance.param.name; });

// Good arrays to which nothing can be added.
TEST(RefusedArray, GivesASentenceAndNoFile) {
  const TemporaryDirectory directory;
  const std::string path = directory / "x";
  const auto array = [](const std::string& descr, const std::string& shape, std::size_t bytes) {
    return NpyOf(HeaderText(descr, shape) + "\n", std::string(bytes, '\0'));
  };
  const struct {
    std::string bytes;
    std::vector<std::string> options;
    std::string rule;
  } cases[] = {
      {"", {}, "must be a .npy file, and ends inside its header"},
      {"1 2 3\n", {}, kNoNpy},
      {array(">f4", "4, 8", 128), {}, "must hold <f4, <f8 or <f2, not \">f4\""},
      {array("<i4", "4, 8", 128), {}, "must hold <f4, <f8 or <f2, not \"<i4\""},
      {array("<u2", "4, 8", 64), {}, "must hold <f4, <f8 or <f2, not \"<u2\""},
      {array("<f4", "", 4), {}, "must have a shape of at least two axes, (..., length, dim), not of 0"},
      {array("<f4", "32,", 128), {}, "must have a shape of at least two axes, (..., length, dim), not of 1"},
      {array("<f4", "4, 7", 112), {}, "has a last axis of 7: --dim must be even, unless --odd is zero or drop-cos"},
      {array("<f4", "4, 0", 0), {}, "has a last axis of 0: --dim must be from 1 to 2^26"},
      {array("<f4", "0, 67108866", 0), {}, "has a last axis of 67108866: --dim must be from 1 to 2^26"},
      {array("<f4", "4, 8", 128), {"--dim", "16"}, "has a last axis of 8, which must be that of --dim, 16"},
  };
  for (const auto& [bytes, options, rule] : cases) {
    WriteFile(path, bytes);
    std::vector<std::string> arguments = {"add", path, "-o", directory / "out"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    ExpectRefused(RunProgram(arguments), "\"" + path + "\"", rule);
    EXPECT_EQ(std::vector<std::string>{"x"}, directory.Names());
  }
  const Ended missing = RunProgram({"add", directory / "none", "-o", directory / "out"});
  EXPECT_EQ(1, missing.exit_code);
  EXPECT_EQ("posenc: cannot read \"" + directory / "none" + "\": No such file or directory.\n", missing.err);
  const Ended folder = RunProgram({"add", directory.path(), "-o", directory / "out"});
  EXPECT_EQ(1, folder.exit_code);
  EXPECT_EQ("posenc: cannot read \"" + directory.path().string() + "\": Is a directory.\n", folder.err);
}

}  // namespace
}  // namespace posenc::cli_test
