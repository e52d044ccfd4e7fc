// Test room targets: runs a test on every SIMD target that this build and this CPU have, and fails one that would run
// on another target than the one in its name.
//
//     class EncodeRange : public test::OnTarget {};
//     POSENC_TEST_ON_EVERY_TARGET(EncodeRange);
//     TEST_P(EncodeRange, WritesRows) { ... }     // EncodeRange.WritesRows/AVX2, ...
//
// The target is one variable in libhwy, so forcing it here steers the library. But the library has only the targets
// that it was compiled for, and runs its best other one when asked for one that it lacks: hence the assertion in SetUp.

#ifndef POSENC_TESTS_TARGETS_H_
#define POSENC_TESTS_TARGETS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace posenc::test {

// Targets of the build that this CPU can run, the best first.
std::vector<std::int64_t> RunnableTargets();

// Targets of this CPU that the build lacks.
std::vector<std::int64_t> OtherTargets();

std::string TargetNameOf(std::int64_t target);

// Forces one target until it goes out of scope. The name of the target that calls then run on is the proof.
class ForcedTarget {
 public:
  explicit ForcedTarget(std::int64_t target);
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
  ~ForcedTarget();

  // Whether the library runs on the target asked for.
  testing::AssertionResult Took() const;

 private:
  std::int64_t target_;
};

class OnTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override;
  void TearDown() override;
};

// Calls check() with every target forced in turn. For tests whose reference is too costly to compute once a target.
template <class Check>
void ForEveryTarget(Check check) {
  for (const std::int64_t target : RunnableTargets()) {
    const ForcedTarget forced(target);
    ASSERT_TRUE(forced.Took());
    SCOPED_TRACE(TargetNameOf(target));
    check();
  }
}

inline std::string ParameterName(const testing::TestParamInfo<std::int64_t>& parameter) {
  return TargetNameOf(parameter.param);
}

#define POSENC_TEST_ON_EVERY_TARGET(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(posenc::test::RunnableTargets()), posenc::test::ParameterName)

}  // namespace posenc::test

#endif  // POSENC_TESTS_TARGETS_H_
