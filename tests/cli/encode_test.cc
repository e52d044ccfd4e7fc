// posenc encode: options go in, the bytes of the .npy are compared with the format's definition and the formula.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tests/cli/npy.h"
#include "tests/cli/program.h"
#include "tests/cli/rounding.h"

namespace posenc::cli_test {
namespace {

struct Table {
  std::string header;  // the Python text, without its padding
  std::vector<float> values;
};

Table Encode(std::vector<std::string> options) {
  const TemporaryDirectory directory;
  options.insert(options.begin(), "encode");
  options.insert(options.end(), {"-o", directory / "t.npy"});
  const Ended ended = RunProgram(options);
  EXPECT_EQ(0, ended.exit_code);
  EXPECT_EQ("", ended.out);
  EXPECT_EQ("", ended.err);
  EXPECT_EQ(std::vector<std::string>{"t.npy"}, directory.Names());
  const Npy npy = ParseNpy(ReadFile(directory / "t.npy"));
  return {npy.header, ItemsOf<float>(npy.data)};
}

std::string Header(std::size_t rows, std::size_t dim) { return HeaderText("<f4", ShapeText({rows, dim})); }

// A bound of the error of the references.
constexpr long double kSlack = 0x1p-38L;

// Compares table with element(position, column), an angle formula of the reader's own.
void CheckTable(const Table& table, const std::vector<std::int64_t>& positions, std::size_t dim,
                const std::function<long double(std::int64_t, std::size_t)>& element) {
  EXPECT_EQ(Header(positions.size(), dim), table.header);
  ASSERT_EQ(positions.size() * dim, table.values.size());
  RoundingCheck rounding(kFloat);
  for (std::size_t r = 0; r < positions.size(); ++r) {
    for (std::size_t c = 0; c < dim; ++c) {
      rounding.Check(element(positions[r], c), kSlack, table.values[r * dim + c],
                     "position " + std::to_string(positions[r]) + " column " + std::to_string(c));
    }
  }
}

long double Paper(std::int64_t position, std::size_t column, long double base, std::size_t dim) {
  const long double angle =
      static_cast<long double>(position) *
      std::pow(base, -2.0L * static_cast<long double>(column / 2) / static_cast<long double>(dim));
  return column % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

std::vector<std::int64_t> Range(std::int64_t first, std::int64_t count, std::int64_t step = 1) {
  std::vector<std::int64_t> positions;
  for (std::int64_t r = 0; r < count; ++r) positions.push_back(first + r * step);
  return positions;
}

TEST(Encode, WritesThePaperTable) {
  CheckTable(Encode({"--dim", "32", "--positions", "0:100"}), Range(0, 100), 32,
             [](std::int64_t p, std::size_t c) { return Paper(p, c, 10000.0L, 32); });
}

TEST(Encode, PositionsAreThoseOfPythonsRange) {
  const struct {
    std::vector<std::string> typed;
    std::vector<std::int64_t> positions;
  } cases[] = {
      {{"--positions=-5:5"}, Range(-5, 10)},
      {{"--positions", "-5:5"}, Range(-5, 10)},
      {{"--positions", "0:10:3"}, {0, 3, 6, 9}},
      {{"--positions", "0:9:3"}, {0, 3, 6}},
      {{"--positions", "10:0:-3"}, {10, 7, 4, 1}},
      {{"--positions", "10:1:-3"}, {10, 7, 4}},
      {{"--positions", "-3:-7:-2"}, {-3, -5}},
      {{"--positions", "7:8"}, {7}},
      {{"--positions", "7:8:9223372036854775807"}, {7}},
      {{"--positions", "7:7"}, {}},
      {{"--positions", "8:7"}, {}},
      {{"--positions", "7:8:-1"}, {}},
  };
  for (const auto& [typed, positions] : cases) {
    std::vector<std::string> options = {"--dim", "8"};
    options.insert(options.end(), typed.begin(), typed.end());
    const Table table = Encode(options);
    if (positions.empty()) {
      EXPECT_EQ(Header(0, 8), table.header);
      EXPECT_TRUE(table.values.empty());
    } else {
      CheckTable(table, positions, 8, [](std::int64_t p, std::size_t c) { return Paper(p, c, 10000.0L, 8); });
    }
  }
}

TEST(Encode, ReachesBothEndsOfInt64) {
  // sin and cos of 2^63 - 1 and of -2^63, radians: the exact values to ten digits.
  const Table last = Encode({"--dim", "2", "--positions", "9223372036854775806:9223372036854775808"});
  ASSERT_EQ(4u, last.values.size());
  EXPECT_EQ(0.530335266220f, last.values[2]);
  const Table first = Encode({"--dim", "2", "--positions", "-9223372036854775808:-9223372036854775809:-1"});
  EXPECT_EQ(Header(1, 2), first.header);
  const Table far =
      Encode({"--dim", "2", "--positions", "-9223372036854775808:9223372036854775808:9223372036854775807"});
  EXPECT_EQ(Header(3, 2), far.header);
  ASSERT_EQ(6u, far.values.size());
  EXPECT_EQ(first.values[0], far.values[0]);
  EXPECT_EQ(first.values[1], far.values[1]);
  // -2^63 + 2 (2^63 - 1) = 2^63 - 2, whose row is the first of `last`.
  EXPECT_EQ(last.values[0], far.values[4]);
  EXPECT_EQ(last.values[1], far.values[5]);
}

TEST(Encode, EverySpecOptionArrives) {
  const auto positions = Range(-3, 40);
  const std::vector<std::string> shared = {"--positions", "-3:37", "--dim"};
  const auto encode = [&shared](std::vector<std::string> options) {
    options.insert(options.begin(), shared.begin(), shared.end());
    return Encode(options);
  };
  CheckTable(encode({"8", "--base", "2.5"}), positions, 8,
             [](std::int64_t p, std::size_t c) { return Paper(p, c, 2.5L, 8); });
  CheckTable(encode({"8", "--layout", "split"}), positions, 8,
             [](std::int64_t p, std::size_t c) { return Paper(p, c < 4 ? 2 * c : 2 * (c - 4) + 1, 10000.0L, 8); });
  CheckTable(encode({"8", "--cos-first"}), positions, 8,
             [](std::int64_t p, std::size_t c) { return Paper(p, c ^ 1, 10000.0L, 8); });
  CheckTable(encode({"8", "--spacing", "inclusive"}), positions, 8,
             [](std::int64_t p, std::size_t c) { return Paper(p, c, 10000.0L, 6); });
  CheckTable(encode({"8", "--amplitude", "-.5"}), positions, 8,
             [](std::int64_t p, std::size_t c) { return -0.5L * Paper(p, c, 10000.0L, 8); });
  CheckTable(encode({"8", "--position-scale", "0.25", "--dtype", "f32"}), positions, 8,
             [](std::int64_t p, std::size_t c) {
               const long double angle =
                   0.25L * static_cast<long double>(p) * std::pow(10000.0L, -static_cast<long double>(c / 2) / 4.0L);
               return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
             });
  CheckTable(encode({"7", "--odd", "zero"}), positions, 7,
             [](std::int64_t p, std::size_t c) { return c == 6 ? 0.0L : Paper(p, c, 10000.0L, 6); });
  CheckTable(encode({"7", "--odd", "drop-cos"}), positions, 7,
             [](std::int64_t p, std::size_t c) { return Paper(p, c, 10000.0L, 7); });
}

TEST(Encode, FrequenciesComeFromTheCommandLineOrAFile) {
  const auto positions = Range(0, 20);
  const auto element = [](std::int64_t p, std::size_t c) {
    constexpr double kFrequencies[] = {1.5, -0.25, 1e-3};
    const long double angle = static_cast<long double>(p) * kFrequencies[c / 2];
    return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
  };
  CheckTable(Encode({"--dim", "6", "--positions", "0:20", "--inv-freq", "1.5,-0.25,1e-3"}), positions, 6, element);
  const TemporaryDirectory directory;
  WriteFile(directory / "frequencies", "1.5 \n\t-0.25,\r\n1e-3\n");
  const std::string from_file = std::string("@").append(directory / "frequencies");
  CheckTable(Encode({"--dim", "6", "--positions", "0:20", "--inv-freq", from_file}), positions, 6, element);
}

TEST(Encode, ManyChunksAreOneTable) {
  // 8 MiB and a row, and a row that is longer than a chunk.
  const Table table = Encode({"--dim", "512", "--positions", "-2048:2049"});
  EXPECT_EQ(Header(4097, 512), table.header);
  ASSERT_EQ(4097u * 512u, table.values.size());
  for (const std::int64_t p : {-2048, -1537, -1536, -1, 0, 1, 511, 512, 2047, 2048}) {
    const Table row = Encode({"--dim", "512", "--positions", std::to_string(p) + ":" + std::to_string(p + 1)});
    ASSERT_EQ(512u, row.values.size());
    EXPECT_EQ(0, std::memcmp(row.values.data(), &table.values[static_cast<std::size_t>(p + 2048) * 512], 2048)) << p;
  }
  const Table wide = Encode({"--dim", "300000", "--positions", "1:3"});
  EXPECT_EQ(Header(2, 300000), wide.header);
  ASSERT_EQ(600000u, wide.values.size());
  EXPECT_EQ(std::sin(1.0f), wide.values[0]);
  EXPECT_EQ(std::sin(2.0f), wide.values[300000]);
}

TEST(Encode, RefusesATableThatNoFileHolds) {
  const TemporaryDirectory directory;
  const std::string most = "-9223372036854775808:9223372036854775807";
  const struct {
    std::vector<std::string> options;
    std::string rows;
  } cases[] = {
      {{"--dim", "8", "--positions", "0:9223372036854775808"}, "9223372036854775808 rows of 32 bytes"},
      {{"--dim", "8", "--length", "4611686018427387904"}, "4611686018427387904 rows of 32 bytes"},
      // Refused before memory is taken for such a row and its tables.
      {{"--dim", "67108864", "--positions", most}, "18446744073709551615 rows of 268435456 bytes"},
      {{"--dim", "67108864", "--dtype", "f64", "--positions", most}, "18446744073709551615 rows of 536870912 bytes"},
      {{"--dim", "67108864", "--preset", "llama3", "--positions", most},
       "18446744073709551615 rows of 268435456 bytes"},
      // 2^63 bytes, and its header.
      {{"--dim", "67108864", "--positions", "0:34359738368"}, "34359738368 rows of 268435456 bytes"},
  };
  for (const auto& [options, rows] : cases) {
    std::vector<std::string> arguments = {"encode", "-o", directory / "t.npy"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Ended ended = RunProgram(arguments, kBoundedMemory);
    EXPECT_EQ(2, ended.exit_code);
    EXPECT_EQ("posenc: the positions and --dim ask for " + rows + ", and a file must be smaller than 2^63 bytes.\n",
              ended.err);
  }
  EXPECT_TRUE(directory.Names().empty());
}

}  // namespace
}  // namespace posenc::cli_test
