// --preset of every command: a name goes in, the rows that the preset's program has come out, or a sentence that names
// what is wrong.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/presets.h"
#include "tests/cli/npy.h"
#include "tests/cli/picture.h"
#include "tests/cli/program.h"
#include "tests/reference.h"

namespace posenc::cli_test {
namespace {

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// What the program writes to stdout.
std::string Output(const Arguments& arguments) {
  const Ended ended = RunProgram(arguments + Arguments{"-o", "-"});
  EXPECT_EQ(0, ended.exit_code) << testing::PrintToString(arguments);
  EXPECT_EQ("", ended.err);
  return ended.out;
}

std::string Encoded(const Arguments& options) { return Output(Arguments{"encode"} + options); }

// The positions of a sequence of that length, by the comments of Order.
std::vector<std::int64_t> PositionsOf(const presets::Preset& preset, std::int64_t length) {
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < length; ++i) {
    positions.push_back(preset.order == presets::Order::kAscending ? preset.first_position + i : length - 1 - i);
  }
  for (std::int64_t i = 1; preset.order == presets::Order::kRelative && i < length; ++i) positions.push_back(-i);
  return positions;
}

TEST(Preset, EveryNameIsTheTableOfItsSpecRoundedOnce) {
  for (const presets::NamedPreset& named : presets::All()) {
    const presets::Preset preset = named.make(10);
    const std::vector<std::int64_t> positions = PositionsOf(preset, 4);
    test::Reference reference(preset.spec);
    std::vector<double> rows(10 * positions.size());
    for (std::size_t r = 0; r < positions.size(); ++r) reference.Row(positions[r], &rows[10 * r]);
    const Npy npy =
        ParseNpy(Encoded({"--preset", std::string(named.name), "--dim", "10", "--length", "4", "--dtype", "f64"}));
    EXPECT_EQ(HeaderText("<f8", ShapeText({positions.size(), 10})), npy.header) << named.name;
    EXPECT_EQ(BytesOf(rows), npy.data) << named.name;
  }
}

TEST(Preset, IsWhatItsOptionsAre) {
  const struct {
    Arguments preset;
    Arguments options;
  } cases[] = {
      {{"paper", "--length", "5"}, {"--positions", "0:5"}},
      {{"whisper", "--length", "5"}, {"--spacing", "inclusive", "--layout", "split", "--positions", "0:5"}},
      {{"opennmt-tf", "--length", "5"}, {"--spacing", "inclusive", "--layout", "split", "--positions", "1:6"}},
      {{"fairseq", "--length", "5"}, {"--spacing", "inclusive", "--layout", "split", "--positions", "2:7"}},
      {{"transformer-xl", "--length", "5"}, {"--layout", "split", "--positions", "4:-1:-1"}},
      {{"espnet-rel", "--length", "5"}, {"--positions", "4:-5:-1"}},
      {{"espnet-rel", "--length", "0"}, {"--positions", "0:0"}},
      {{"guided-diffusion", "--length", "5"}, {"--layout", "split", "--cos-first", "--positions", "0:5"}},
      {{"nerf", "--length", "5"}, {"--inv-freq", "1,2,4,8", "--positions", "0:5"}},
      // Positions that are named are taken as they are.
      {{"opennmt-tf", "--positions", "0:5"}, {"--spacing", "inclusive", "--layout", "split", "--positions", "0:5"}},
      {{"espnet-rel", "--positions", "0:5"}, {"--positions", "0:5"}},
      // What is given replaces what the preset has, and nothing else.
      {{"whisper", "--base", "50", "--length", "5"},
       {"--base", "50", "--spacing", "inclusive", "--layout", "split", "--positions", "0:5"}},
      {{"whisper", "--spacing", "exclusive", "--length", "5"}, {"--layout", "split", "--positions", "0:5"}},
      {{"opennmt-tf", "--layout", "interleaved", "--length", "5"}, {"--spacing", "inclusive", "--positions", "1:6"}},
      {{"x-transformers", "--amplitude", "1", "--length", "5"}, {"--layout", "split", "--positions", "0:5"}},
      {{"mlx", "--amplitude", "2", "--position-scale", "3", "--length", "5"},
       {"--amplitude", "2", "--position-scale", "3", "--spacing", "inclusive", "--layout", "split", "--positions",
        "0:5"}},
      {{"edm", "--cos-first=false", "--length", "5"}, {"--layout", "split", "--positions", "0:5"}},
      {{"rope", "--cos-first", "--length", "5"}, {"--layout", "split", "--cos-first", "--positions", "0:5"}},
      {{"llama3", "--inv-freq", "4,3,2,1", "--length", "5"},
       {"--inv-freq", "4,3,2,1", "--layout", "split", "--positions", "0:5"}},
  };
  for (const auto& [preset, options] : cases) {
    EXPECT_EQ(Encoded(Arguments{"--dim", "8"} + options), Encoded(Arguments{"--dim", "8", "--preset"} + preset))
        << testing::PrintToString(preset);
  }
  EXPECT_EQ(Encoded({"--dim", "7", "--odd", "zero", "--layout", "split", "--positions", "0:5"}),
            Encoded({"--dim", "7", "--preset", "rope", "--odd", "zero", "--length", "5"}));
  EXPECT_EQ(Encoded({"--dim", "7", "--odd", "drop-cos", "--positions", "0:5"}),
            Encoded({"--dim", "7", "--preset", "xlm", "--length", "5"}));
  // Without a preset a length is that of positions from 0.
  EXPECT_EQ(Encoded({"--dim", "8", "--positions", "0:5"}), Encoded({"--dim", "8", "--length", "5"}));
}

// Pictures of the default size, whose titles have one line.
void ExpectSameBelowTitle(const Picture& want, const Picture& got) {
  constexpr std::size_t kTitleRows = 40;
  ASSERT_EQ(want.width, got.width);
  ASSERT_EQ(want.height, got.height);
  const auto rows = [](const Picture& picture, std::size_t begin, std::size_t end) {
    const auto* const pixels = picture.pixels.data();
    return std::vector<Pixel>(pixels + begin * picture.width, pixels + end * picture.width);
  };
  EXPECT_TRUE(rows(want, kTitleRows, want.height) == rows(got, kTitleRows, got.height));
  EXPECT_FALSE(rows(want, 0, kTitleRows) == rows(got, 0, kTitleRows)) << "the title does not name the preset";
}

TEST(Preset, NamesItselfInTheTitlesOfPictures) {
  const TemporaryDirectory directory;
  const Arguments preset = {"--dim", "8", "--preset", "whisper"};
  const auto expect_title = [&](const Arguments& arguments, const std::string& title) {
    EXPECT_NE(std::string::npos, Output(arguments + preset).find(std::string("Title\0", 6) + title)) << title;
  };
  expect_title({"plot", "--length", "5"}, "preset whisper, dim 8, positions 0 to 4, base 10000, split, inclusive");
  expect_title({"similarity", "--format", "png", "--offsets", "0:5", "--amplitude", "2"},
               "preset whisper, dim 8, offsets 0 to 4, base 10000, split, inclusive, amplitude 2");
  // The longest name in the smallest picture.
  for (const std::string command : {"plot", "similarity"}) {
    const Picture picture = Draw({command, command == "plot" ? "--positions" : "--offsets", "0:4", "--dim", "8",
                                  "--preset", "tensorflow-tutorial", "--width", "240", "--height", "240"});
    EXPECT_LE(picture.width, 240u);
    EXPECT_LE(picture.height, 240u);
  }
}

TEST(Preset, PlotsAndSimilaritiesAreThoseOfItsOptions) {
  const Arguments inclusive = {"--dim", "8", "--spacing", "inclusive", "--layout", "split"};
  const Arguments preset = {"--dim", "8", "--preset", "opennmt-tf"};
  ExpectSameBelowTitle(Draw(Arguments{"plot", "--positions", "1:6"} + inclusive),
                       Draw(Arguments{"plot", "--length", "5"} + preset));
  ExpectSameBelowTitle(Draw(Arguments{"plot", "--positions", "0:6"} + inclusive),
                       Draw(Arguments{"plot", "--positions", "0:6"} + preset));
  const Arguments similarity = {"similarity", "--offsets", "-3:9"};
  EXPECT_EQ(Output(similarity + inclusive), Output(similarity + preset));
  EXPECT_NE(Output(similarity + Arguments{"--dim", "8"}), Output(similarity + preset));
}

TEST(Preset, AddTakesPositionsAndScaleFromIt) {
  const TemporaryDirectory directory;
  std::vector<double> x;
  for (int i = 0; i < 2 * 3 * 8; ++i) x.push_back(0.1 * i - 2.0);
  WriteFile(directory / "x.npy", NpyOf("<f8", {2, 3, 8}, x));
  const Arguments add = {"add", directory / "x.npy"};
  const Arguments inclusive = {"--spacing", "inclusive", "--layout", "split"};
  const struct {
    Arguments preset;
    Arguments options;
  } cases[] = {
      {{"fairseq"}, inclusive + Arguments{"--start", "2", "--x-scale", "sqrt-dim"}},
      {{"fairseq", "--start", "-4"}, inclusive + Arguments{"--start", "-4", "--x-scale", "sqrt-dim"}},
      {{"fairseq", "--step", "5"}, inclusive + Arguments{"--start", "2", "--step", "5", "--x-scale", "sqrt-dim"}},
      {{"fairseq", "--x-scale", "1"}, inclusive + Arguments{"--start", "2"}},
      {{"funasr"}, inclusive + Arguments{"--start", "1", "--x-scale", "22.627416997969522"}},
      {{"whisper"}, inclusive},
      {{"transformer-xl"}, {"--layout", "split", "--start", "2", "--step", "-1"}},
      {{"espnet-rel", "--start", "2"}, {"--start", "2", "--step", "-1", "--x-scale", "sqrt-dim"}},
  };
  for (const auto& [preset, options] : cases) {
    EXPECT_EQ(Output(add + options), Output(add + Arguments{"--preset"} + preset)) << testing::PrintToString(preset);
  }
  WriteFile(directory / "p", "7 -1 2");
  EXPECT_EQ(Output(add + Arguments{"--positions-file", directory / "p", "--x-scale", "sqrt-dim"}),
            Output(add + Arguments{"--positions-file", directory / "p", "--preset", "espnet-rel"}));
  const Ended relative = RunProgram(add + Arguments{"--preset", "espnet-rel", "-o", directory / "y"});
  EXPECT_EQ(2, relative.exit_code);
  EXPECT_EQ(
      "posenc: --preset espnet-rel must stand with --start or --positions-file here: its program has 2 * length - 1 "
      "rows, from position length - 1 down, and adds none of them.\n",
      relative.err);
  // An array without rows has no first position.
  WriteFile(directory / "x.npy", NpyOf("<f8", {0, 3, 8}, std::vector<double>{}));
  EXPECT_EQ("", ParseNpy(Output(add + Arguments{"--preset", "transformer-xl"})).data);
}

TEST(Preset, WhatIsNoPresetOrDoesNotFitItIsRefused) {
  const std::string unknown = "--preset must be a name that 'posenc presets' lists, not ";
  const std::string list = ", whose frequencies are a list that only --inv-freq can replace";
  const struct {
    Arguments options;
    std::string sentence;
  } cases[] = {
      {{"--preset", "opennmt"}, unknown + "\"opennmt\"; near it: opennmt-py, opennmt-tf, opennmt-py-concat"},
      {{"--preset", "HF_Marian"}, unknown + "\"HF_Marian\"; near it: hf-marian"},
      {{"--preset", "Wisper"}, unknown + "\"Wisper\"; near it: whisper"},
      {{"--preset", "qwertyuiop"}, unknown + "\"qwertyuiop\""},
      {{"--preset", ""}, unknown + "\"\""},
      {{"--preset", "paper\n"}, unknown + "\"paper?\"; near it: paper"},
      {{"--preset", std::string(100000, 'a')}, unknown + "\"" + std::string(80, 'a') + "...\""},
      {{"--preset", "llama3", "--base", "5"}, "--base must be left out with --preset llama3" + list},
      {{"--preset", "nerf", "--spacing", "inclusive"}, "--spacing must be left out with --preset nerf" + list},
      {{"--preset", "llama3", "--inv-freq", "1,2,3,4", "--base", "5"},
       "--base must be left out with --inv-freq, which takes its place"},
      {{"--preset", "llama3", "--inv-freq", "1,2,3"},
       "--inv-freq must be left out or hold one value a frequency: floor(dim/2), or ceil(dim/2) with drop-cos"},
      {{"--preset", "paper", "--base", "0"}, "--base must be finite and greater than 0"},
  };
  for (const std::string command : {"encode", "plot", "similarity"}) {
    const Arguments range = command == "similarity" ? Arguments{"--offsets", "0:4"} : Arguments{"--length", "4"};
    for (const auto& [options, sentence] : cases) {
      const TemporaryDirectory directory;
      const Ended ended = RunProgram(Arguments{command, "--dim", "8", "-o", directory / "t.png"} + range + options);
      EXPECT_EQ(2, ended.exit_code);
      EXPECT_EQ("", ended.out);
      EXPECT_EQ("posenc: " + sentence + ".\n", ended.err);
      EXPECT_TRUE(directory.Names().empty());
    }
  }
  for (const presets::NamedPreset& named : presets::All()) {
    for (const std::string dim : {"0", "67108865", "99999999999999999999"}) {
      const Ended ended =
          RunProgram({"encode", "--preset", std::string(named.name), "--dim", dim, "--length", "4", "-o", "/dev/null"});
      EXPECT_EQ(2, ended.exit_code);
      EXPECT_EQ("posenc: --dim must be from 1 to 2^26.\n", ended.err) << named.name;
    }
  }
  EXPECT_EQ("posenc: --dim must be even, unless --odd is zero or drop-cos.\n",
            RunProgram({"encode", "--preset", "nerf", "--dim", "7", "--length", "4", "-o", "/dev/null"}).err);
}

TEST(Preset, ListsOfFrequenciesSayWhichDimsTheyHave) {
  const std::string limit = ": every frequency must be at most 2^64 in absolute value";
  const struct {
    Arguments options;
    std::string sentence;  // empty: they are allowed
  } cases[] = {
      {{"nerf", "--dim", "130"}, ""},
      {{"nerf", "--dim", "132"}, "--dim must be at most 130 with --preset nerf" + limit},
      {{"nerf", "--dim", "140"}, "--dim must be at most 130 with --preset nerf" + limit},
      {{"nerf", "--dim", "67108864"}, "--dim must be at most 130 with --preset nerf" + limit},
      {{"nerf", "--dim", "67108866"}, "--dim must be from 1 to 2^26"},
      {{"nerf", "--dim", "130", "--position-scale", "-3"}, "--dim must be at most 126 with --preset nerf" + limit},
      // Frequencies that a small factor brings below the limit; the list has no more.
      {{"nerf", "--dim", "132", "--position-scale", "0.001"}, ""},
      {{"nerf", "--dim", "140", "--position-scale", "0.001"},
       "--dim must be at most 132 with --preset nerf, whose frequencies end there"},
      {{"nerf", "--dim", "8", "--position-scale", "1e30"},
       "--position-scale must be closer to 0 with --preset nerf: every frequency times it must be at most 2^64 in "
       "absolute value"},
      {{"tiny-cuda-nn", "--dim", "126"}, ""},
      {{"tiny-cuda-nn", "--dim", "128"}, "--dim must be at most 126 with --preset tiny-cuda-nn" + limit},
      {{"llama3", "--dim", "8", "--position-scale", "1e30"},
       "--position-scale must be closer to 0 with --preset llama3: every frequency times it must be at most 2^64 in "
       "absolute value"},
      {{"nerf", "--dim", "7", "--odd", "zero"}, ""},
      {{"nerf", "--dim", "131", "--odd", "zero"}, ""},
      {{"nerf", "--dim", "133", "--odd", "zero"}, "--dim must be at most 131 with --preset nerf" + limit},
      {{"nerf", "--dim", "7", "--odd", "drop-cos"},
       "--odd must not be drop-cos with --preset nerf, which has a cosine for every sine"},
      {{"llama3", "--dim", "7"}, "--dim must be even with --preset llama3"},
      {{"llama3", "--dim", "7", "--odd", "zero"}, "--dim must be even with --preset llama3"},
      {{"llama3", "--dim", "7", "--odd", "zero", "--base", "5"}, "--dim must be even with --preset llama3"},
      {{"llama3", "--dim", "7", "--odd", "drop-cos", "--inv-freq", "4,3,2,1"}, ""},
  };
  for (const auto& [options, sentence] : cases) {
    const Ended ended = RunProgram(Arguments{"encode", "--length", "2", "-o", "/dev/null", "--preset"} + options);
    EXPECT_EQ(sentence.empty() ? 0 : 2, ended.exit_code) << testing::PrintToString(options);
    EXPECT_EQ(sentence.empty() ? "" : "posenc: " + sentence + ".\n", ended.err);
  }
  // The last axis of an array is a dim too.
  const TemporaryDirectory directory;
  WriteFile(directory / "x.npy", NpyOf("<f4", {1, 140}, std::vector<float>(140)));
  EXPECT_EQ("posenc: \"" + directory / "x.npy" +
                "\" has a last axis of 140: --dim must be at most 130 with --preset nerf" + limit + ".\n",
            RunProgram({"add", directory / "x.npy", "--preset", "nerf", "-o", "/dev/null"}).err);
}

TEST(Preset, LengthIsRefusedWhereItIsNone) {
  const std::string rule = "posenc: --length must be an integer from 0 to 4611686018427387904, not ";
  for (const char* const typed : {"", "-1", "4611686018427387905", "4.0", "0:4"}) {
    const Ended ended = RunProgram({"encode", "--dim", "8", std::string("--length=") + typed, "-o", "/dev/null"});
    EXPECT_EQ(2, ended.exit_code);
    if (*typed != '\0') {
      EXPECT_EQ(rule + "\"" + typed + "\".\n", ended.err);
    }
  }
  const Ended none = RunProgram({"plot", "--dim", "8", "--length", "0", "-o", "/dev/null"});
  EXPECT_EQ(2, none.exit_code);
  EXPECT_EQ("posenc: --length must hold at least one position to plot.\n", none.err);
}

TEST(Preset, PresetsListsEveryName) {
  const Ended ended = RunProgram({"presets"});
  EXPECT_EQ(0, ended.exit_code);
  EXPECT_EQ("", ended.err);
  std::size_t begin = ended.out.find('\n') + 1;
  for (const presets::NamedPreset& named : presets::All()) {
    const std::size_t end = ended.out.find('\n', begin);
    ASSERT_NE(std::string::npos, end);
    const std::string line = ended.out.substr(begin, end - begin);
    EXPECT_TRUE(line.starts_with(std::string(named.name) + " ")) << line;
    EXPECT_TRUE(line.ends_with("  " + std::string(named.about))) << line;
    EXPECT_EQ(ended.out.find("WHAT"), line.size() - named.about.size()) << line;
    begin = end + 1;
  }
  EXPECT_EQ(ended.out.size(), begin);
  const auto expect_columns = [&](const std::string& name, const std::string& first, const std::string& scale) {
    const std::size_t at = ended.out.find("\n" + name + " ");
    ASSERT_NE(std::string::npos, at) << name;
    const std::size_t first_at = ended.out.find_first_not_of(' ', at + 1 + name.size());
    EXPECT_EQ(first + " ", ended.out.substr(first_at, first.size() + 1)) << name;
    const std::size_t scale_at = ended.out.find_first_not_of(' ', first_at + first.size());
    EXPECT_EQ(scale + " ", ended.out.substr(scale_at, scale.size() + 1)) << name;
  };
  expect_columns("whisper", "0", "1");
  expect_columns("fairseq", "2", "sqrt-dim");
  expect_columns("espnet-rel", "T-1", "sqrt-dim");
  expect_columns("funasr", "1", "22.627416997969522");
  expect_columns("paraformer", "1", "22.627416997969522");
}

}  // namespace
}  // namespace posenc::cli_test
