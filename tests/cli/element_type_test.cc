// Element types: --dtype goes in, the bytes of the .npy are compared with the formula rounded to the type.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/cli/npy.h"
#include "tests/cli/program.h"
#include "tests/cli/rounding.h"

namespace posenc::cli_test {
namespace {

struct Type {
  const char* name;
  const char* descr;
  Format format;
  std::vector<long double> (*values)(const std::string& data);
};

template <class T>
std::vector<long double> Widened(const std::string& data) {
  const std::vector<T> items = ItemsOf<T>(data);
  return std::vector<long double>(items.begin(), items.end());
}

template <double (*Value)(std::uint16_t)>
std::vector<long double> WidenedBits(const std::string& data) {
  std::vector<long double> values;
  for (const std::uint16_t bits : ItemsOf<std::uint16_t>(data)) values.push_back(Value(bits));
  return values;
}

const Type kTypes[] = {
    {"f32", "<f4", kFloat, Widened<float>},
    {"f64", "<f8", kDouble, Widened<double>},
    {"f16", "<f2", kHalf, WidenedBits<HalfValue>},
    {"bf16", "<u2", kBFloat16, WidenedBits<BFloat16Value>},
};

TEST(ElementType, EveryElementIsTheFormulaRoundedOnce) {
  constexpr std::size_t kDim = 8;
  // Small angles keep the reference good enough for double; a small amplitude gives subnormal halves.
  for (const double amplitude : {1.0, 1e-6}) {
    for (const Type& type : kTypes) {
      const Ended ended = RunProgram({"encode", "--dim", "8", "--positions", "-4:5", "--amplitude",
                                      amplitude == 1.0 ? "1" : "1e-6", "--dtype", type.name, "-o", "-"});
      ASSERT_EQ(0, ended.exit_code) << ended.err;
      const Npy npy = ParseNpy(ended.out);
      EXPECT_EQ(HeaderText(type.descr, "9, 8"), npy.header);
      const std::vector<long double> values = type.values(npy.data);
      ASSERT_EQ(9 * kDim, values.size());
      RoundingCheck rounding(type.format);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const long double position = static_cast<long double>(i / kDim) - 4.0L;
        const long double pair = static_cast<long double>(i % kDim / 2);
        const long double angle = position * std::pow(10000.0L, -pair / 4.0L);
        const long double wave = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
        rounding.Check(amplitude * wave, amplitude * WaveSlack(angle, wave), values[i],
                       type.name + (" element " + std::to_string(i)));
      }
    }
  }
}

TEST(ElementType, RowsDoNotDependOnTheChunk) {
  // Several chunks of every type, and a row at each end of them.
  for (const Type& type : kTypes) {
    const auto table = [&type](const std::string& positions) {
      const Ended ended =
          RunProgram({"encode", "--dim", "128", "--positions", positions, "--dtype", type.name, "-o", "-"});
      EXPECT_EQ(0, ended.exit_code);
      return ParseNpy(ended.out).data;
    };
    const std::string all = table("-3000:3001");
    const std::size_t row_bytes = all.size() / 6001;
    for (const int p : {-3000, -953, -952, -1, 0, 1, 1095, 1096, 3000}) {
      EXPECT_EQ(table(std::to_string(p) + ":" + std::to_string(p + 1)),
                all.substr(static_cast<std::size_t>(p + 3000) * row_bytes, row_bytes))
          << type.name << " " << p;
    }
  }
}

TEST(ElementType, HelpSaysWhatEachIs) {
  const std::string help = RunProgram({"encode", "--help"}).out;
  for (const Type& type : kTypes) EXPECT_NE(std::string::npos, help.find(type.name));
  EXPECT_NE(std::string::npos, help.find("bf16 is written as <u2"));
  const std::string info = RunProgram({"info"}).out;
  EXPECT_NE(std::string::npos, info.find("types:     f32, f64, f16 or bf16\n"));
  const std::string add = RunProgram({"add", "--help"}).out;
  for (const char* named : {"<f4, <f8 or <f2", "--start", "--step", "--x-scale", "--positions-file", "sqrt-dim",
                            "posenc add embeddings.npy"}) {
    EXPECT_NE(std::string::npos, add.find(named)) << named;
  }
}

}  // namespace
}  // namespace posenc::cli_test
