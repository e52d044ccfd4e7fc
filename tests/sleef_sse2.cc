// Test room sleef: the baseline of x86-64.

#include <emmintrin.h>
#include <sleef.h>

#include "tests/sleef_sincospi.h"

namespace posenc::test {

void SleefSse2(const double* half_turns, size_t count, double* sin, double* cos) {
  for (size_t i = 0; i < count; i += 2) {
    const auto both = Sleef_sincospid2_u05sse2(_mm_loadu_pd(half_turns + i));
    _mm_storeu_pd(sin + i, both.x);
    _mm_storeu_pd(cos + i, both.y);
  }
}

}  // namespace posenc::test
