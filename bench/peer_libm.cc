// Bench, peers: the loops that posenc is called in place of, around the C library's float functions.

#include <cmath>

#include "bench/peers.h"

namespace posenc_bench {

void LibmNested(const LoopJob& job) noexcept {
  const float base = static_cast<float>(job.base);
  const float dim = static_cast<float>(job.dim);
  for (std::size_t r = 0; r < job.rows; ++r) {
    const float position = static_cast<float>(PositionOfRow(job, r));
    float* out = job.out + r * job.dim;
    for (std::size_t k = 0; k < job.dim / 2; ++k) {
      const float angle = position / std::pow(base, static_cast<float>(2 * k) / dim);
      out[2 * k] = std::sin(angle);
      out[2 * k + 1] = std::cos(angle);
    }
  }
}

// Compilers may join the two calls to one of sincosf; that is what the loop's authors get too.
void LibmHoisted(const LoopJob& job) noexcept {
  for (std::size_t r = 0; r < job.rows; ++r) {
    const float position = static_cast<float>(PositionOfRow(job, r));
    float* out = job.out + r * job.dim;
    for (std::size_t k = 0; k < job.dim / 2; ++k) {
      const float angle = position * job.radians_f32[k];
      out[2 * k] = std::sin(angle);
      out[2 * k + 1] = std::cos(angle);
    }
  }
}

}  // namespace posenc_bench
