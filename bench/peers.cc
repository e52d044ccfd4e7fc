// Bench, peers: the CPU goes in, the list of peers that it can run comes out.

#include "bench/peers.h"

#include <hwy/targets.h>

#include <cmath>
#include <numbers>

namespace posenc_bench {
namespace {

// Lanes of the widest vector that a loop may read past the last frequency with: 2048-bit SVE.
constexpr std::size_t kPaddingLanes = 64;

}  // namespace

Frequencies::Frequencies(const posenc::Spec& spec) {
  const std::size_t count = spec.dim / 2;
  const std::size_t padded = (count + kPaddingLanes - 1) / kPaddingLanes * kPaddingLanes;
  radians_f32.resize(padded);
  half_turns.resize(padded);
  for (std::size_t k = 0; k < count; ++k) {
    const long double exponent = -2.0L * static_cast<long double>(k) / static_cast<long double>(spec.dim);
    const long double radians =
        spec.inv_freq.empty() ? std::pow(static_cast<long double>(spec.base), exponent) : spec.inv_freq[k];
    radians_f32[k] = static_cast<float>(radians);
    half_turns[k] = static_cast<double>(radians / std::numbers::pi_v<long double>);
  }
}

LoopJob JobFor(const posenc::Spec& spec, const Frequencies& frequencies, float* out) {
  LoopJob job;
  job.dim = spec.dim;
  job.base = spec.base;
  job.radians_f32 = frequencies.radians_f32.data();
  job.half_turns = frequencies.half_turns.data();
  job.out = out;
  return job;
}

std::vector<Peer> PeersOfThisCpu() {
  std::vector<Peer> peers = {{"Libm/nested", "libm", LibmNested}, {"Libm/hoisted", "libm", LibmHoisted}};
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    peers.push_back({"HighwayMath", hwy::TargetName(target), HighwaySinCos, target});
  }
#ifdef POSENC_BENCH_X86
  const auto append = [&peers](bool supported, const PeerList& list) {
    if (supported) peers.insert(peers.end(), list.first, list.first + list.count);
  };
  __builtin_cpu_init();
  append(__builtin_cpu_supports("sse4.1"), kPeersSse4);
  append(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), kPeersAvx2);
  append(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
         kPeersAvx512);
#endif
  return peers;
}

}  // namespace posenc_bench
