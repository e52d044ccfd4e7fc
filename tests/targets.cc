// Test room targets: the one test file that names Highway. It asks for every attainable target, as the library does;
// otherwise compiler flags could shorten its list and tests of the missing targets would vanish unseen.

#define HWY_COMPILE_ALL_ATTAINABLE

#include "tests/targets.h"

#include <hwy/targets.h>

#include "posenc/posenc.h"

namespace posenc::test {

std::vector<std::int64_t> RunnableTargets() {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  // Attainable, but never compiled: what is below the baseline of the architecture, such as SCALAR where all have NEON.
  std::erase_if(targets, [](std::int64_t target) { return target > HWY_STATIC_TARGET; });
  return targets;
}

std::vector<std::int64_t> OtherTargets() {
  std::int64_t others = hwy::SupportedTargets();
  for (const std::int64_t target : RunnableTargets()) others &= ~target;
  std::vector<std::int64_t> targets;
  for (; others != 0; others &= others - 1) targets.push_back(others & -others);
  return targets;
}

std::string TargetNameOf(std::int64_t target) { return hwy::TargetName(target); }

ForcedTarget::ForcedTarget(std::int64_t target) : target_(target) { hwy::SetSupportedTargetsForTest(target); }

ForcedTarget::~ForcedTarget() { hwy::SetSupportedTargetsForTest(0); }

testing::AssertionResult ForcedTarget::Took() const {
  if (TargetNameOf(target_) == ActiveTarget()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "asked for " << TargetNameOf(target_) << ", the library runs "
                                     << ActiveTarget();
}

void OnTarget::SetUp() {
  hwy::SetSupportedTargetsForTest(GetParam());
  ASSERT_EQ(TargetNameOf(GetParam()), ActiveTarget());
}

void OnTarget::TearDown() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace posenc::test
