// Test that the golden hashes are those of the rounded MPFR tables. It calls nothing of the library.

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "tests/golden.h"
#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

TEST(GoldenReference, HashesAreThoseOfMpfr) {
  ASSERT_EQ(GoldenTables().size(), 20u);
  for (const Golden& golden : GoldenTables()) {
    Reference reference(golden.spec);
    std::array<std::uint64_t, 4> hashes;
    std::size_t type = 0;
    ForEveryType([&]<class T>() {
      const std::vector<T> table = reference.Range<T>(golden.start, golden.count, golden.step);
      hashes[type++] = Hash(std::span<const T>(table));
      EXPECT_EQ(hashes[type - 1], golden.hash<T>()) << Describe(golden.spec);
    });
    if (hashes != golden.hashes) {
      std::printf("{0x%016llX, 0x%016llX, 0x%016llX, 0x%016llX}\n", static_cast<unsigned long long>(hashes[0]),
                  static_cast<unsigned long long>(hashes[1]), static_cast<unsigned long long>(hashes[2]),
                  static_cast<unsigned long long>(hashes[3]));
    }
  }
}

}  // namespace
}  // namespace posenc::test
