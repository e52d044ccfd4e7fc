// Command lines: every refused one gives exit code 2, nothing on stdout, no file, and a sentence that names the option.

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace posenc::cli_test {
namespace {

struct Refused {
  std::string name;
  std::vector<std::string> changes;  // options beside or instead of --dim 8 --positions 0:4
  std::string sentence;              // stderr is "posenc: " + sentence + ".\n"
};

void PrintTo(const Refused& refused, std::ostream* stream) { *stream << refused.name; }

class RefusedOption : public testing::TestWithParam<Refused> {};

TEST_P(RefusedOption, GivesASentenceAndNoFile) {
  for (const std::string command : {"encode", "plot"}) {
    const TemporaryDirectory directory;
    std::vector<std::string> arguments = {command, "-o", directory / "out"};
    const std::vector<std::string>& changes = GetParam().changes;
    const auto given = [&](const std::string& option) {
      for (const std::string& change : changes) {
        if (change.starts_with(option)) return true;
      }
      return false;
    };
    if (!given("--dim")) arguments.insert(arguments.end(), {"--dim", "8"});
    if (!given("--positions")) arguments.insert(arguments.end(), {"--positions", "0:4"});
    arguments.insert(arguments.end(), changes.begin(), changes.end());
    const Ended ended = RunProgram(arguments);
    EXPECT_EQ(2, ended.exit_code);
    EXPECT_EQ("", ended.out);
    EXPECT_EQ("posenc: " + GetParam().sentence + ".\n", ended.err);
    EXPECT_TRUE(directory.Names().empty());
  }
}

std::vector<Refused> RefusedOptions() {
  std::vector<Refused> cases = {
      {"DimZero", {"--dim", "0"}, "--dim must be from 1 to 2^26"},
      {"DimTooLarge", {"--dim", "67108865"}, "--dim must be from 1 to 2^26"},
      {"DimBeyond64Bits", {"--dim", "99999999999999999999"}, "--dim must be from 1 to 2^26"},
      {"DimOdd", {"--dim", "7"}, "--dim must be even, unless --odd is zero or drop-cos"},
      {"DimNegative", {"--dim=-8"}, "--dim must be an integer such as 512, not \"-8\""},
      {"DimTrailing", {"--dim", "8x"}, "--dim must be an integer such as 512, not \"8x\""},
      {"DimReal", {"--dim", "8.0"}, "--dim must be an integer such as 512, not \"8.0\""},
      {"DimBlank", {"--dim", " 8"}, "--dim must be an integer such as 512, not \" 8\""},
      {"BaseZero", {"--base", "0"}, "--base must be finite and greater than 0"},
      {"BaseNegative", {"--base", "-1"}, "--base must be finite and greater than 0"},
      {"BaseNan", {"--base", "nan"}, "--base must be finite and greater than 0"},
      {"BaseInfinite", {"--base", "inf"}, "--base must be finite and greater than 0"},
      {"BaseWord", {"--base", "ten"}, "--base must be a number such as 0.5 or 1e4, not \"ten\""},
      {"BaseTrailing", {"--base", "1e4 "}, "--base must be a number such as 0.5 or 1e4, not \"1e4 \""},
      {"BaseComma", {"--base", "1,5"}, "--base must be a number such as 0.5 or 1e4, not \"1,5\""},
      {"BaseTooLarge", {"--base", "1e999"}, "--base must be a number that a double holds, not \"1e999\""},
      {"ScaleInfinite", {"--position-scale", "inf"}, "--position-scale must be finite"},
      {"ScaleTooLarge",
       {"--position-scale", "1e30"},
       "every frequency (from --base or --inv-freq) times --position-scale must be at most 2^64 in absolute value"},
      {"AmplitudeNan", {"--amplitude", "nan"}, "--amplitude must be finite"},
      {"Layout", {"--layout", "Split"}, "--layout must be interleaved or split, not \"Split\""},
      {"Spacing", {"--spacing", "even"}, "--spacing must be exclusive or inclusive, not \"even\""},
      {"Odd", {"--odd", "wrap"}, "--odd must be error, zero or drop-cos, not \"wrap\""},
      {"FrequenciesTooFew",
       {"--inv-freq", "1,2"},
       "--inv-freq must be left out or hold one value a frequency: floor(dim/2), or ceil(dim/2) with drop-cos"},
      {"FrequencyInfinite", {"--inv-freq", "1,2,3,inf"}, "every value of --inv-freq must be finite"},
      {"FrequenciesAndBase",
       {"--inv-freq", "1,2,3,4", "--base", "7"},
       "--base must be left out with --inv-freq, which takes its place"},
      {"FrequenciesAndSpacing",
       {"--inv-freq", "1,2,3,4", "--spacing", "exclusive"},
       "--spacing must be left out with --inv-freq, which takes its place"},
      {"FrequencyEmpty",
       {"--inv-freq", "1,2,,4"},
       "every value of --inv-freq must be a number such as 0.5 or 1e4, not \"\""},
      // The word behind is not taken for the value that is missing.
      {"BaseEmpty", {"--base=", "3"}, "\"--base=\" must have a value right after the ="},
      {"LayoutEmpty", {"--layout=", "split"}, "\"--layout=\" must have a value right after the ="},
      {"CosFirstEmpty", {"--cos-first="}, "\"--cos-first=\" must have a value right after the ="},
      {"CosFirstWord", {"--cos-first=maybe"}, "--cos-first must be true or false, not \"maybe\""},
      {"CosFirstThree", {"--cos-first=3"}, "--cos-first must be true or false, not \"3\""},
      {"CosFirstOne", {"--cos-first=1"}, "--cos-first must be true or false, not \"1\""},
      {"CosFirstNegative", {"--cos-first=-1"}, "--cos-first must be true or false, not \"-1\""},
      {"CosFirstCapitals", {"--cos-first=TRUE"}, "--cos-first must be true or false, not \"TRUE\""},
      {"CosFirstOn", {"--cos-first=on"}, "--cos-first must be true or false, not \"on\""},
      {"CosFirstBraces", {"--cos-first={}"}, "--cos-first must be true or false, not \"{}\""},
      {"FrequencyFileEmpty", {"--inv-freq", "@/dev/null"}, "--inv-freq: \"/dev/null\" holds no number"},
      {"StepZero", {"--positions", "0:4:0"}, "--positions must have a STEP that is not 0, not \"0:4:0\""},
      {"AllPositions",
       {"--positions", "-9223372036854775808:9223372036854775808"},
       "--positions must hold fewer than 2^64 positions, not \"-9223372036854775808:9223372036854775808\""},
      {"ControlCharacter", {"--layout", "a\033[2J\n"}, "--layout must be interleaved or split, not \"a?[2J?\""},
  };
  for (const char* const typed : {"", "4", ":4", "0:", "0-4", "0:4:", "0:4:1:1", "0:4.0", "0: 4", "+0:4", "0x0:4",
                                  "0:9223372036854775809", "9223372036854775808:0", "0:4:9223372036854775808",
                                  "0:-9223372036854775809", "-9223372036854775808:-9223372036854775810:-1"}) {
    cases.push_back(
        {"Positions" + std::to_string(cases.size()),
         {"--positions", typed},
         "--positions must be A:B or A:B:STEP with 64-bit integers and no blanks, not \"" + std::string(typed) + "\""});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Options, RefusedOption, testing::ValuesIn(RefusedOptions()),
                         [](const auto& instance) { return instance.param.name; });

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  const TemporaryDirectory directory;
  const std::vector<std::string> good = {"encode", "--dim", "8", "--positions", "0:4", "-o", directory / "x.npy"};
  const auto with = [&good](std::vector<std::string> more) {
    more.insert(more.begin(), good.begin(), good.end());
    return more;
  };
  struct {
    std::vector<std::string> arguments;
    const char* named;
  } const cases[] = {
      {{}, "encode, add, plot, similarity, presets or info"},
      {{"transmute"}, "transmute"},
      {{"encode", "--positions", "0:4", "-o", directory / "x.npy"}, "--dim"},
      {{"encode", "--dim", "8", "-o", directory / "x.npy"}, "one of --positions, --length and --positions-file"},
      {{"plot", "--dim", "8", "-o", directory / "x.npy"}, "one of --positions and --length"},
      {{"plot", "--dim", "8", "--length", "4", "--positions", "0:4", "-o", directory / "x.npy"}, "and only one"},
      {{"similarity", "--dim", "8", "-o", directory / "x.csv"}, "--offsets"},
      {{"similarity", "--offsets", "0:4", "-o", directory / "x.csv"}, "--dim"},
      {{"similarity", "--dim", "8", "--offsets", "0:4"}, "--output"},
      {{"similarity", "--dim", "8", "--offsets", "0:4", "-o", ""}, "-o must be a path"},
      {{"presets", "whisper"}, "whisper"},
      {{"encode", "--dim", "8", "--positions", "0:4"}, "--output"},
      {with({"more"}), "more"},
      {with({"--no-such-option"}), "--no-such-option"},
      {with({"--dim", "8"}), "--dim"},
      {with({"--base"}), "--base"},
      {with({"--dtype", "f80"}), "--dtype must be f32"},
      {with({"--width", "800"}), "--width"},
      {with({"--cos-first=maybe"}), "--cos-first"},
      {{"plot", "--dim", "8", "--positions", "0:4", "--width", "239", "-o", directory / "x.png"},
       "--width must be an integer from 240 to 4000, not \"239\""},
      {{"plot", "--dim", "8", "--positions", "0:4", "--height", "4001", "-o", directory / "x.png"},
       "--height must be an integer from 240 to 4000, not \"4001\""},
      {{"plot", "--dim", "8", "--positions", "4:4", "-o", directory / "x.png"}, "--positions must hold at least one"},
  };
  for (const auto& [arguments, named] : cases) {
    const Ended ended = RunProgram(arguments);
    EXPECT_EQ(2, ended.exit_code) << named;
    EXPECT_EQ("", ended.out);
    EXPECT_TRUE(ended.err.starts_with("posenc: ")) << ended.err;
    EXPECT_TRUE(ended.err.ends_with(".\n")) << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << "more than one line: " << ended.err;
    EXPECT_NE(std::string::npos, ended.err.find(named)) << ended.err;
  }
  EXPECT_TRUE(directory.Names().empty());
}

TEST(CommandLine, TheWrongWordIsNamedAndWhoDoesNotKnowIt) {
  const std::vector<std::string> good = {"encode", "--dim", "8", "--positions", "0:4", "-o", "/dev/null"};
  struct {
    std::vector<std::string> more;  // after those of good
    std::string sentence;
  } const cases[] = {
      {{"--length-of", "4", "more"}, "\"--length-of\" is no option of posenc encode"},
      {{"more", "--length-of"}, "\"more\" was not expected by posenc encode"},
      {{"mo\033[2Jre\n"}, "\"mo?[2Jre?\" was not expected by posenc encode"},
      {{std::string(100000, 'a')}, "\"" + std::string(80, 'a') + "...\" was not expected by posenc encode"},
      {{"--dim", "8"}, "--dim must be given only once"},
      {{"-o", "/dev/null"}, "--output must be given only once"},
      {{"--base"}, "--base must have a value"},
  };
  constexpr char kHint[] = " (posenc --help and posenc COMMAND --help list what is allowed)";
  const auto expect_refusal = [&](const std::vector<std::string>& arguments, const std::string& sentence) {
    const Ended ended = RunProgram(arguments);
    EXPECT_EQ(2, ended.exit_code);
    EXPECT_EQ("", ended.out);
    EXPECT_EQ("posenc: " + sentence + kHint + ".\n", ended.err);
  };
  for (const auto& [more, sentence] : cases) {
    std::vector<std::string> arguments = good;
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refusal(arguments, sentence);
  }
  // A misspelt option is named before the one that is missed for it.
  expect_refusal({"encode", "--dimension", "8", "-o", "/dev/null"}, "\"--dimension\" is no option of posenc encode");
  expect_refusal({"transmute", "encode"}, "\"transmute\" is no command");
  expect_refusal({"--dim", "8", "encode"}, "\"--dim\" is no option of posenc");
  expect_refusal({"add", "-o", "/dev/null"}, "X.npy is required");
}

TEST(CommandLine, HelpExplainsEveryOptionAndGivesAnExample) {
  const std::vector<std::string> shared = {
      "--dim",       "--preset", "--base",      "--spacing", "--inv-freq", "--position-scale",
      "--amplitude", "--layout", "--cos-first", "--odd",     "--output"};
  const struct {
    std::string command;
    std::vector<std::string> options;
  } cases[] = {
      {"encode", {"--positions", "--length", "--positions-file", "--dtype"}},
      {"add", {"--start", "--step", "--positions-file", "--x-scale"}},
      {"plot", {"--positions", "--length", "--width", "--height"}},
      {"similarity", {"--offsets", "--format", "--width", "--height"}},
  };
  for (const auto& [command, options] : cases) {
    const Ended ended = RunProgram({command, "--help"});
    EXPECT_EQ(0, ended.exit_code);
    EXPECT_EQ("", ended.err);
    for (const auto& named : {shared, options}) {
      for (const std::string& option : named) EXPECT_NE(std::string::npos, ended.out.find(option + " ")) << option;
    }
    EXPECT_NE(std::string::npos, ended.out.find("  posenc " + command + " "));
    // Lines that a terminal of 100 columns shows whole.
    for (std::size_t begin = 0, end = 0; (end = ended.out.find('\n', begin)) != std::string::npos; begin = end + 1) {
      EXPECT_LE(end - begin, 100u) << ended.out.substr(begin, end - begin);
    }
  }
  const Ended ended = RunProgram({"--help"});
  EXPECT_EQ(0, ended.exit_code);
  for (const char* command : {"encode", "add", "plot", "similarity", "presets", "info"}) {
    EXPECT_NE(std::string::npos, ended.out.find(command));
  }
}

TEST(CommandLine, VersionAndInfo) {
  const Ended version = RunProgram({"--version"});
  EXPECT_EQ(0, version.exit_code);
  EXPECT_EQ("posenc " POSENC_CLI_VERSION "\n", version.out);
  const Ended info = RunProgram({"info"});
  EXPECT_EQ(0, info.exit_code);
  EXPECT_EQ("", info.err);
  for (const char* named : {"posenc " POSENC_CLI_VERSION, "target: ", "rounded once", "compiler: ", "build: "}) {
    EXPECT_NE(std::string::npos, info.out.find(named)) << named;
  }
}

}  // namespace
}  // namespace posenc::cli_test
