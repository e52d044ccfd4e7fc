// Test room sleef: AVX2 and FMA, compiled with their flags and run only where the CPU has them.

#include <immintrin.h>
#include <sleef.h>

#include "tests/sleef_sincospi.h"

namespace posenc::test {

void SleefAvx2(const double* half_turns, size_t count, double* sin, double* cos) {
  for (size_t i = 0; i < count; i += 4) {
    const auto both = Sleef_sincospid4_u05avx2(_mm256_loadu_pd(half_turns + i));
    _mm256_storeu_pd(sin + i, both.x);
    _mm256_storeu_pd(cos + i, both.y);
  }
}

}  // namespace posenc::test
