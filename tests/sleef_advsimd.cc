// Test room sleef: the baseline of aarch64.

#include <arm_neon.h>
#include <sleef.h>

#include "tests/sleef_sincospi.h"

namespace posenc::test {

void SleefAdvSimd(const double* half_turns, size_t count, double* sin, double* cos) {
  for (size_t i = 0; i < count; i += 2) {
    const auto both = Sleef_sincospid2_u05advsimd(vld1q_f64(half_turns + i));
    vst1q_f64(sin + i, both.x);
    vst1q_f64(cos + i, both.y);
  }
}

}  // namespace posenc::test
