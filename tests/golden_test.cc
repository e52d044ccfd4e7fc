// Tests that the tables of every target have the golden hashes.

#include "tests/golden.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class GoldenHashes : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(GoldenHashes);

TEST_P(GoldenHashes, AreThoseOfRanges) {
  for (const Golden& golden : GoldenTables()) {
    const Encoder encoder = MakeOrFail(golden.spec);
    ForEveryType([&]<class T>() {
      const std::vector<T> table = EncodeTable<T>(encoder, golden.start, golden.count, golden.step);
      EXPECT_EQ(Hash(std::span<const T>(table)), golden.hash<T>()) << Describe(golden.spec);
    });
  }
}

TEST_P(GoldenHashes, AreThoseOfLists) {
  for (const Golden& golden : GoldenTables()) {
    const Encoder encoder = MakeOrFail(golden.spec);
    std::vector<std::int64_t> positions;
    for (std::size_t r = 0; r < golden.count; ++r) {
      positions.push_back(golden.start + static_cast<std::int64_t>(r) * golden.step);
    }
    ForEveryType([&]<class T>() {
      GuardedRows<T> out(golden.spec.dim, golden.count, 0, 1);
      ASSERT_EQ(encoder.Encode(std::span<const std::int64_t>(positions), out.rows()), Error::kNone);
      const std::vector<T> table = out.Packed();
      EXPECT_EQ(Hash(std::span<const T>(table)), golden.hash<T>()) << Describe(golden.spec);
    });
  }
}

}  // namespace
}  // namespace posenc::test
