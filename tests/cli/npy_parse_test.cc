// The parser of .npy headers, called as a function of bytes: every form that writers use is read, and no bytes at all,
// random ones included, make it accept what is not a header.

#include "src/cli/npy_parse.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/npy.h"

namespace posenc::cli_test {
namespace {

using cli::NpyParsed;
using cli::ParseNpyHeader;
using Shape = std::vector<std::uint64_t>;

TEST(NpyParse, ReadsEveryFormThatWritersUse) {
  const struct {
    const char* text;
    const char* kind;
    Shape shape;
    std::uint64_t count;
  } cases[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), }\n", "f4", {4, 8}, 32},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), }            \n", "f4", {4, 8}, 32},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8)}\n", "f4", {4, 8}, 32},
      {"{\"descr\":\"<f2\",\"fortran_order\":False,\"shape\":(4,8,)}\n", "f2", {4, 8}, 32},
      {"{'shape': (3,), 'fortran_order': False, 'descr': '|i1'}\n", "i1", {3}, 3},
      {"  { 'shape' :  ( 3 , ) ,  'descr' :  '<u1' , 'fortran_order' :  False  }  \n", "u1", {3}, 3},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", "f8", {}, 1},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 0, 8), }\n", "i8", {2, 0, 8}, 0},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (4611686018427387903,), }\n",
       "u1",
       {4611686018427387903},
       4611686018427387903},
      {"{'descr': '<u8', 'fortran_order': False, 'shape': (0, 9223372036854775807), }\n", "u8", {}, 0},
  };
  for (const auto& expected : cases) {
    for (const char major : {'\1', '\2', '\3'}) {
      const std::string bytes = NpyOf(expected.text, "data", major);
      const NpyParsed parsed = ParseNpyHeader(bytes);
      if (expected.shape.empty() && expected.count == 0) {
        EXPECT_NE("", parsed.broken_rule) << "2^63 items of 8 bytes beside an axis of 0";
        continue;
      }
      EXPECT_EQ("", parsed.broken_rule) << expected.text;
      EXPECT_EQ(bytes.size() - 4, parsed.header_bytes);
      EXPECT_EQ(expected.kind, parsed.array.kind);
      EXPECT_TRUE(parsed.array.is_native);
      EXPECT_EQ(expected.shape, parsed.array.shape);
      EXPECT_EQ(expected.count, parsed.array.count);
      EXPECT_EQ(expected.count * static_cast<std::uint64_t>(expected.kind[1] - '0'), parsed.array.data_bytes());
    }
  }
  EXPECT_FALSE(ParseNpyHeader(NpyOf(HeaderText(">f4", "1, 2") + "\n", "")).array.is_native);
}

TEST(NpyParse, AsksForBytesUntilTheHeaderIsThere) {
  for (const char major : {'\1', '\2', '\3'}) {
    const std::string bytes = NpyOf(HeaderText("<f4", "4, 8") + "\n", "", major);
    std::size_t last = 0;
    int steps = 0;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const NpyParsed parsed = ParseNpyHeader(bytes.substr(0, size));
      EXPECT_EQ("", parsed.broken_rule);
      EXPECT_GT(parsed.header_bytes, size);
      EXPECT_LE(parsed.header_bytes, bytes.size());
      EXPECT_LE(last, parsed.header_bytes);
      steps += parsed.header_bytes != last;
      last = parsed.header_bytes;
    }
    EXPECT_LE(steps, 3);
    EXPECT_EQ(bytes.size(), last);
  }
}

// What must hold of any bytes.
void ExpectSound(const std::string& bytes) {
  const NpyParsed parsed = ParseNpyHeader(bytes);
  if (!parsed.broken_rule.empty()) {
    EXPECT_TRUE(parsed.broken_rule.starts_with("must ")) << parsed.broken_rule;
    EXPECT_EQ(std::string::npos, parsed.broken_rule.find('\n'));
    EXPECT_LT(parsed.broken_rule.size(), 300u);
    return;
  }
  EXPECT_GE(parsed.header_bytes, 10u);
  EXPECT_LE(parsed.header_bytes, cli::kLongestNpyHeader);
  if (parsed.header_bytes > bytes.size()) return;
  const cli::NpyArray& array = parsed.array;
  EXPECT_LE(array.shape.size(), cli::kMostNpyAxes);
  EXPECT_EQ('\n', bytes[parsed.header_bytes - 1]);
  unsigned __int128 data_bytes = array.item_bytes;
  for (const std::uint64_t length : array.shape) {
    data_bytes *= length;
    ASSERT_LT(data_bytes, static_cast<unsigned __int128>(1) << 62);
  }
  EXPECT_EQ(static_cast<std::uint64_t>(data_bytes), array.data_bytes());
  // It means what the plainest header of that type and shape means.
  std::string shape;
  for (const std::uint64_t length : array.shape) shape += std::to_string(length) + ", ";
  const NpyParsed again = ParseNpyHeader(NpyOf(HeaderText(array.descr, shape) + "\n", ""));
  EXPECT_EQ("", again.broken_rule);
  EXPECT_EQ(array.kind, again.array.kind);
  EXPECT_EQ(array.shape, again.array.shape);
}

TEST(NpyParse, AnyBytesAreRefusedOrSound) {
  const std::array<std::string, 3> seeds = {NpyOf(HeaderText("<f4", "4, 8") + "\n", "", 1),
                                            NpyOf(HeaderText("|u1", "12,") + "   \n", "", 2),
                                            NpyOf(HeaderText("<f8", "3, 0, 9223372036854775807") + "\n", "", 3)};
  constexpr std::string_view kParts = "{}()[]'\",:<>|=-0123456789 \n\\\x93\x01\x02\xFFiufTrueFalse";
  std::mt19937 random(20171206);
  const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  int accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string bytes = seeds[below(seeds.size())];
    for (std::size_t changes = below(3) + 1; changes > 0; --changes) {
      const std::size_t at = below(bytes.size());
      const char part = below(8) == 0 ? static_cast<char>(random() & 0xFF) : kParts[below(kParts.size())];
      switch (below(4)) {
        case 0:
          bytes[at] = part;
          break;
        case 1:
          bytes.insert(at, 1, part);
          break;
        case 2:
          bytes.erase(at, below(3) + 1);
          if (bytes.empty()) bytes = "\x93";
          break;
        default:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(12)));
      }
    }
    ExpectSound(bytes);
    const NpyParsed parsed = ParseNpyHeader(bytes);
    accepted += parsed.broken_rule.empty() && parsed.header_bytes <= bytes.size();
  }
  // Some changes are harmless: both outcomes were seen.
  EXPECT_GT(accepted, 1000);
  EXPECT_LT(accepted, 100000);
}

}  // namespace
}  // namespace posenc::cli_test
