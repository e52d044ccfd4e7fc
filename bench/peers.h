// Bench, peers: what others do for the same table. A LoopJob goes in, rows of interleaved float come out.
//
// A peer is a loop over rows and frequencies around somebody else's sin and cos, vectorised and stored as well as we
// can. To add one: write its loop where its instruction set is compiled (peer_*.cc) and add one entry to the table
// there.

#ifndef POSENC_BENCH_PEERS_H_
#define POSENC_BENCH_PEERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "posenc/posenc.h"

namespace posenc_bench {

// The frequencies of a spec with an even dim and exclusive spacing, in the forms that loops want. Each vector is padded
// to whole SIMD vectors with zeros.
struct Frequencies {
  explicit Frequencies(const posenc::Spec& spec);

  std::vector<float> radians_f32;  // w_k rounded to float
  std::vector<double> half_turns;  // w_k / pi, for sincospi
};

// What a loop computes: element 2k of row r is sin(p * w_k), element 2k + 1 the cosine, with p the position of row r:
// positions[r], or start + r where there is no list. dim is even.
struct LoopJob {
  const double* positions = nullptr;
  std::int64_t start = 0;
  std::size_t rows = 0;
  std::size_t dim = 0;
  double base = 10000.0;
  const float* radians_f32 = nullptr;
  const double* half_turns = nullptr;
  float* out = nullptr;
};

// static: files that are compiled for one instruction set must not emit a copy that the linker keeps for everybody.
static inline double PositionOfRow(const LoopJob& job, std::size_t r) {
  return job.positions != nullptr ? job.positions[r] : static_cast<double>(job.start + static_cast<std::int64_t>(r));
}

// A job of no rows yet.
LoopJob JobFor(const posenc::Spec& spec, const Frequencies& frequencies, float* out);

using Loop = void (*)(const LoopJob&) noexcept;

struct Peer {
  const char* name;    // e.g. "Sleef/u10"
  const char* target;  // instruction set as in names of benchmarks, e.g. "avx2"
  Loop loop;
  std::int64_t highway_target = 0;  // to be chosen in Highway before the call; 0: not a Highway loop
  bool double_angles = false;       // p * w_k in double, not in float
};

// A list without std::vector, for files that are compiled for one instruction set: an inline function of the standard
// library that such a file instantiates could be the copy that the linker keeps for everybody.
struct PeerList {
  const Peer* first;
  std::size_t count;
};

// peer_libm.cc. Float angles, the C library's sinf and cosf.
void LibmNested(const LoopJob& job) noexcept;   // the frequency by powf in the inner loop, as engines have it
void LibmHoisted(const LoopJob& job) noexcept;  // frequencies from a table

// peer_highway.cc, for the target that Highway is set to. Float angles, Highway's contrib Sin and Cos.
void HighwaySinCos(const LoopJob& job) noexcept;
// Multiplies an array of doubles (element_bytes is 8) or else of floats by `by`, in place.
void HighwayScale(void* data, std::size_t bytes, std::size_t element_bytes, float by) noexcept;
const char* HighwayActiveTarget() noexcept;

// peer_x86.cc, once for each instruction set.
extern const PeerList kPeersSse4;
extern const PeerList kPeersAvx2;
extern const PeerList kPeersAvx512;

// All peers that this CPU can run.
std::vector<Peer> PeersOfThisCpu();

}  // namespace posenc_bench

#endif  // POSENC_BENCH_PEERS_H_
