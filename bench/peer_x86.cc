// Bench, peers: vector sines and cosines of other libraries, for the one x86 instruction set that this file is compiled
// for. CMake compiles it once for each, with the flags of the set.
//
// A file of its own flags, because SLEEF's header shows a prototype only to a file that is compiled for it, and clang
// passes the wider results wrongly through a prototype made by hand in a file that is not. SLEEF's functions are called
// by the names that carry the instruction set: the plain names go through a dispatcher that may choose a narrower one.
// Inline functions that are not static must not be emitted here, lest the linker keep a copy that not every CPU can
// run. So: everything is in an unnamed namespace, nothing comes from the standard library, and Eigen's namespace is
// renamed for each set.

#include <immintrin.h>

#include "bench/peers.h"

#if defined(__AVX512F__)
#define POSENC_BENCH_PEERS kPeersAvx512
#define POSENC_BENCH_TARGET "avx512"
#define Eigen EigenAvx512
#elif defined(__AVX2__)
#define POSENC_BENCH_PEERS kPeersAvx2
#define POSENC_BENCH_TARGET "avx2"
#define Eigen EigenAvx2
#else
#define POSENC_BENCH_PEERS kPeersSse4
#define POSENC_BENCH_TARGET "sse4"
#define Eigen EigenSse4
#endif

#ifdef POSENC_BENCH_SLEEF
#include <sleef.h>
#endif
#ifdef POSENC_BENCH_EIGEN
#include <Eigen/Core>
#endif

#ifdef POSENC_BENCH_LIBMVEC
// glibc's vector sines by their names in the vector function ABI: b, d and e are SSE4, AVX2 and AVX-512, N not masked,
// then the lanes, then one vector argument. The ABI passes vectors as the instruction set's ordinary calls do.
// NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp): glibc's names
extern "C" {
__m128 _ZGVbN4v_sinf(__m128);
__m128 _ZGVbN4v_cosf(__m128);
#ifdef __AVX2__
__m256 _ZGVdN8v_sinf(__m256);
__m256 _ZGVdN8v_cosf(__m256);
#endif
#ifdef __AVX512F__
__m512 _ZGVeN16v_sinf(__m512);
__m512 _ZGVeN16v_cosf(__m512);
#endif
}
// NOLINTEND(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp)
#endif  // POSENC_BENCH_LIBMVEC

namespace posenc_bench {
namespace {

// What the loop needs of an instruction set: float lanes F, double lanes D of half as many lanes. A build that lacks
// some of the peers leaves some of it unused.
#if defined(__AVX512F__)
#define POSENC_BENCH_SLEEF_F32(precision) Sleef_sincosf16_##precision##avx512f
#define POSENC_BENCH_SLEEF_F64 Sleef_sincospid8_u05avx512f
#define POSENC_BENCH_LIBMVEC_F32(function) _ZGVeN16v_##function
using F = __m512;
using D = __m512d;
[[maybe_unused]] inline F Load(const float* from) { return _mm512_loadu_ps(from); }
[[maybe_unused]] inline D Load(const double* from) { return _mm512_loadu_pd(from); }
[[maybe_unused]] inline F SetAll(float value) { return _mm512_set1_ps(value); }
[[maybe_unused]] inline D SetAll(double value) { return _mm512_set1_pd(value); }
[[maybe_unused]] inline F Multiply(F a, F b) { return _mm512_mul_ps(a, b); }
[[maybe_unused]] inline D Multiply(D a, D b) { return _mm512_mul_pd(a, b); }
[[maybe_unused]] inline F ToFloat(D low, D high) {
  const __m512d low_half = _mm512_castpd256_pd512(_mm256_castps_pd(_mm512_cvtpd_ps(low)));
  return _mm512_castpd_ps(_mm512_insertf64x4(low_half, _mm256_castps_pd(_mm512_cvtpd_ps(high)), 1));
}
[[maybe_unused]] inline void StoreInterleaved(F even, F odd, float* to) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  _mm512_storeu_ps(to, _mm512_permutex2var_ps(even, low, odd));
  _mm512_storeu_ps(to + 16, _mm512_permutex2var_ps(even, high, odd));
}
#elif defined(__AVX2__)
#define POSENC_BENCH_SLEEF_F32(precision) Sleef_sincosf8_##precision##avx2
#define POSENC_BENCH_SLEEF_F64 Sleef_sincospid4_u05avx2
#define POSENC_BENCH_LIBMVEC_F32(function) _ZGVdN8v_##function
using F = __m256;
using D = __m256d;
[[maybe_unused]] inline F Load(const float* from) { return _mm256_loadu_ps(from); }
[[maybe_unused]] inline D Load(const double* from) { return _mm256_loadu_pd(from); }
[[maybe_unused]] inline F SetAll(float value) { return _mm256_set1_ps(value); }
[[maybe_unused]] inline D SetAll(double value) { return _mm256_set1_pd(value); }
[[maybe_unused]] inline F Multiply(F a, F b) { return _mm256_mul_ps(a, b); }
[[maybe_unused]] inline D Multiply(D a, D b) { return _mm256_mul_pd(a, b); }
[[maybe_unused]] inline F ToFloat(D low, D high) {
  return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}
[[maybe_unused]] inline void StoreInterleaved(F even, F odd, float* to) {
  const __m256 low = _mm256_unpacklo_ps(even, odd);
  const __m256 high = _mm256_unpackhi_ps(even, odd);
  _mm256_storeu_ps(to, _mm256_permute2f128_ps(low, high, 0x20));
  _mm256_storeu_ps(to + 8, _mm256_permute2f128_ps(low, high, 0x31));
}
#else
#define POSENC_BENCH_SLEEF_F32(precision) Sleef_sincosf4_##precision##sse4
#define POSENC_BENCH_SLEEF_F64 Sleef_sincospid2_u05sse4
#define POSENC_BENCH_LIBMVEC_F32(function) _ZGVbN4v_##function
using F = __m128;
using D = __m128d;
[[maybe_unused]] inline F Load(const float* from) { return _mm_loadu_ps(from); }
[[maybe_unused]] inline D Load(const double* from) { return _mm_loadu_pd(from); }
[[maybe_unused]] inline F SetAll(float value) { return _mm_set1_ps(value); }
[[maybe_unused]] inline D SetAll(double value) { return _mm_set1_pd(value); }
[[maybe_unused]] inline F Multiply(F a, F b) { return _mm_mul_ps(a, b); }
[[maybe_unused]] inline D Multiply(D a, D b) { return _mm_mul_pd(a, b); }
[[maybe_unused]] inline F ToFloat(D low, D high) { return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)); }
[[maybe_unused]] inline void StoreInterleaved(F even, F odd, float* to) {
  _mm_storeu_ps(to, _mm_unpacklo_ps(even, odd));
  _mm_storeu_ps(to + 4, _mm_unpackhi_ps(even, odd));
}
#endif

constexpr std::size_t kLanes = sizeof(F) / sizeof(float);

struct Waves {
  F sin;
  F cos;
};

[[maybe_unused]] inline F Angles(const LoopJob& job, double position, std::size_t k) {
  return Multiply(SetAll(static_cast<float>(position)), Load(job.radians_f32 + k));
}

// The one loop. Calculation::At gives the waves of kLanes frequencies from k. The last vector of a row may be ragged:
// frequencies are padded, and its elements go through a buffer.
template <class Calculation>
void FillRows(const LoopJob& job) noexcept {
  const std::size_t count = job.dim / 2;
  for (std::size_t r = 0; r < job.rows; ++r) {
    const double position = PositionOfRow(job, r);
    float* out = job.out + r * job.dim;
    std::size_t k = 0;
    for (; k + kLanes <= count; k += kLanes) {
      const Waves waves = Calculation::At(job, position, k);
      StoreInterleaved(waves.sin, waves.cos, out + 2 * k);
    }
    if (k < count) {
      float tail[2 * kLanes];
      const Waves waves = Calculation::At(job, position, k);
      StoreInterleaved(waves.sin, waves.cos, tail);
      __builtin_memcpy(out + 2 * k, tail, 2 * (count - k) * sizeof(float));
    }
  }
}

#ifdef POSENC_BENCH_SLEEF
struct SleefU10 {
  static Waves At(const LoopJob& job, double position, std::size_t k) {
    const auto waves = POSENC_BENCH_SLEEF_F32(u10)(Angles(job, position, k));
    return {waves.x, waves.y};
  }
};

struct SleefU35 {
  static Waves At(const LoopJob& job, double position, std::size_t k) {
    const auto waves = POSENC_BENCH_SLEEF_F32(u35)(Angles(job, position, k));
    return {waves.x, waves.y};
  }
};

// Double lanes and half turns: the accurate way to do it with SLEEF.
struct SleefPi {
  static Waves At(const LoopJob& job, double position, std::size_t k) {
    const D p = SetAll(position);
    const auto low = POSENC_BENCH_SLEEF_F64(Multiply(p, Load(job.half_turns + k)));
    const auto high = POSENC_BENCH_SLEEF_F64(Multiply(p, Load(job.half_turns + k + kLanes / 2)));
    return {ToFloat(low.x, high.x), ToFloat(low.y, high.y)};
  }
};
#endif  // POSENC_BENCH_SLEEF

#ifdef POSENC_BENCH_LIBMVEC
struct Libmvec {
  static Waves At(const LoopJob& job, double position, std::size_t k) {
    const F angles = Angles(job, position, k);
    return {POSENC_BENCH_LIBMVEC_F32(sinf)(angles), POSENC_BENCH_LIBMVEC_F32(cosf)(angles)};
  }
};
#endif

#ifdef POSENC_BENCH_EIGEN
struct EigenPackets {
  static Waves At(const LoopJob& job, double position, std::size_t k) {
    const F angles = Angles(job, position, k);
    return {Eigen::internal::psin(angles), Eigen::internal::pcos(angles)};
  }
};
#endif

constexpr Peer kPeers[] = {
#ifdef POSENC_BENCH_SLEEF
    {"Sleef/sincosf_u10", POSENC_BENCH_TARGET, FillRows<SleefU10>},
    {"Sleef/sincosf_u35", POSENC_BENCH_TARGET, FillRows<SleefU35>},
    {"Sleef/sincospi_u05", POSENC_BENCH_TARGET, FillRows<SleefPi>, 0, true},
#endif
#ifdef POSENC_BENCH_LIBMVEC
    {"Libmvec", POSENC_BENCH_TARGET, FillRows<Libmvec>},
#endif
#ifdef POSENC_BENCH_EIGEN
    {"Eigen", POSENC_BENCH_TARGET, FillRows<EigenPackets>},
#endif
};

}  // namespace

const PeerList POSENC_BENCH_PEERS = {kPeers, sizeof(kPeers) / sizeof(kPeers[0])};

}  // namespace posenc_bench
