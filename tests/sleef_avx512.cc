// Test room sleef: AVX-512F, compiled with its flags and run only where the CPU has it.

#include <immintrin.h>
#include <sleef.h>

#include "tests/sleef_sincospi.h"

namespace posenc::test {

void SleefAvx512(const double* half_turns, size_t count, double* sin, double* cos) {
  for (size_t i = 0; i < count; i += 8) {
    const auto both = Sleef_sincospid8_u05avx512f(_mm512_loadu_pd(half_turns + i));
    _mm512_storeu_pd(sin + i, both.x);
    _mm512_storeu_pd(cos + i, both.y);
  }
}

}  // namespace posenc::test
