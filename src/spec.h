// Room spec: a Spec goes in, the first broken rule and the shape of a row come out. No allocation, no arithmetic on
// angles.

#ifndef POSENC_SRC_SPEC_H_
#define POSENC_SRC_SPEC_H_

#include <cstddef>

#include "posenc/posenc.h"

namespace posenc {

// Where sines and cosines stand in a row. Sine k is at element sin_first + k * step, cosine k at cos_first + k * step;
// the sine of a frequency without a cosine is at LastSine().
struct RowShape {
  std::size_t sines = 0;    // also the number of frequencies
  std::size_t cosines = 0;  // sines, or sines - 1 with kDropCos and an odd dim
  std::size_t sin_first = 0;
  std::size_t cos_first = 0;
  std::size_t step = 1;    // 2 interleaved, 1 split
  bool zero_last = false;  // element dim - 1 is +0

  // Where the sine of the last frequency stands when it has no cosine.
  std::size_t LastSine() const noexcept { return step == 2 ? 2 * (sines - 1) : sin_first + sines - 1; }
};

// The first rule that spec breaks, of those that need no angle: all but kFrequency and kMemory.
Error Validate(const Spec& spec) noexcept;

// The shape of a row of a valid spec.
RowShape ShapeOf(const Spec& spec) noexcept;

// The exponents of the frequencies of a valid spec without inv_freq: w_k = base^(-2k/divisor). 0: every w_k is 1, which
// is the case of one frequency.
std::size_t ExponentDivisor(const Spec& spec) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_SPEC_H_
