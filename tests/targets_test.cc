// Tests that the list of targets which every other test runs on is that of the library and of this CPU.

#include "tests/targets.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "posenc/posenc.h"

namespace posenc::test {
namespace {

TEST(Targets, TheBestOneRunsByDefault) {
  ASSERT_FALSE(RunnableTargets().empty());
  const std::int64_t best = RunnableTargets().front();
  // The question makes Highway 1.0.3 choose before it knows how long the vectors of SVE are. A program that asks
  // nothing chooses at its first call, and so does this one after a choice was taken back.
  { const ForcedTarget forced(best); }
  EXPECT_EQ(TargetNameOf(best), ActiveTarget());
}

TEST(Targets, EveryOneRunsWhenAskedFor) {
  std::string names;
  for (const std::int64_t target : RunnableTargets()) {
    const ForcedTarget forced(target);
    EXPECT_TRUE(forced.Took());
    names.append(" ").append(TargetNameOf(target));
  }
  std::printf("targets that ran:%s\n", names.c_str());
}

TEST(Targets, NoneOfTheLibraryIsLeftOut) {
  for (const std::int64_t target : OtherTargets()) {
    const ForcedTarget forced(target);
    EXPECT_FALSE(forced.Took()) << "no test runs on it";
  }
}

}  // namespace
}  // namespace posenc::test
