// What an archive of this project must not have, a function for each: cmake/hygiene.cmake has to find them. And what it
// may have, in functions whose names say so.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>

extern "C" {

int FaultPrints(int value) { return std::printf("%d\n", value); }
void FaultPrintsToAStream(int value) { std::cout << value; }
void FaultAborts() { std::abort(); }
void FaultThrows() { throw 1; }
void* FaultAllocates(std::size_t size) { return ::operator new(size); }

int FaultCatches(void (*call)()) {
  try {
    call();
  } catch (...) {
    return 1;
  }
  return 0;
}

}  // extern "C"

int FaultBeforeMain = std::rand();

#if defined(__x86_64__)
#include <immintrin.h>

extern "C" {

// libmvec, as a compiler calls it with -ffast-math.
using FaultVector [[gnu::vector_size(32)]] = double;
[[gnu::target("avx2")]] void _ZGVdN4v_sin();
[[gnu::target("avx2")]] void FaultCallsLibmvec() { _ZGVdN4v_sin(); }

[[gnu::target("avx512f")]] void FaultAvx512(double* x) {
  _mm512_storeu_pd(x, _mm512_add_pd(_mm512_loadu_pd(x), _mm512_loadu_pd(x)));
}
[[gnu::target("avx2")]] void FaultAvx2(double* x) { _mm256_storeu_pd(x, _mm256_sqrt_pd(_mm256_loadu_pd(x))); }
[[gnu::target("fma")]] double FaultFma(double a, double b, double c) { return __builtin_fma(a, b, c); }
[[gnu::target("bmi2")]] unsigned long FaultBmi2(unsigned long a, int n) { return a << n; }
[[gnu::target("sse4.1")]] void FaultSse41(double* x) { _mm_storeu_pd(x, _mm_floor_pd(_mm_loadu_pd(x))); }
[[gnu::target("ssse3")]] void FaultSsse3(int* x) {
  __m128i* const v = reinterpret_cast<__m128i*>(x);
  _mm_storeu_si128(v, _mm_abs_epi32(_mm_loadu_si128(v)));
}

void AllowedSse2(double* x) { _mm_storeu_pd(x, _mm_sqrt_pd(_mm_loadu_pd(x))); }

}  // extern "C"

namespace N_AVX2 {
[[gnu::target("avx2")]] void Allowed(double* x) { _mm256_storeu_pd(x, _mm256_sqrt_pd(_mm256_loadu_pd(x))); }
}  // namespace N_AVX2
namespace N_SSE4 {
[[gnu::target("sse4.1")]] void Allowed(double* x) { _mm_storeu_pd(x, _mm_floor_pd(_mm_loadu_pd(x))); }
}  // namespace N_SSE4
#elif defined(__aarch64__)
extern "C" {

void FaultSve() { __asm__ volatile(".arch_extension sve\n\tptrue p0.b\n\tmov z0.b, #0" : : : "memory"); }

}  // extern "C"

namespace N_SVE2 {
void Allowed() { __asm__ volatile(".arch_extension sve\n\tptrue p0.b" : : : "memory"); }
}  // namespace N_SVE2
#endif
