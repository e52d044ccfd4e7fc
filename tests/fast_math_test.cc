// Tests of a caller built with -ffast-math, whose start-up code also flushes subnormals: the bits are the golden ones.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "posenc/posenc.h"
#include "tests/golden.h"
#include "tests/rounding.h"
#include "tests/rows.h"

#ifndef __FAST_MATH__
#error "This file is here to be compiled with -ffast-math."
#endif

namespace posenc::test {
namespace {

TEST(FastMath, OfTheCallerChangesNoBit) {
  for (const Golden& golden : GoldenTables()) {
    const Result<Encoder> made = Encoder::Make(golden.spec);
    ASSERT_TRUE(made) << Message(made.error);
    ForEveryType([&]<class T>() {
      std::vector<T> table(golden.count * golden.spec.dim);
      ASSERT_EQ(made.value.EncodeRange(golden.start, Rows<T>{table.data(), golden.count}, golden.step), Error::kNone);
      EXPECT_EQ(Hash(std::span<const T>(table)), golden.hash<T>()) << "dim " << golden.spec.dim;
    });
  }
}

}  // namespace
}  // namespace posenc::test
