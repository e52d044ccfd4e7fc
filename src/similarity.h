// Room similarity: a grid and offsets come in, the dot products of two encodings that far apart come out.

#ifndef POSENC_SRC_SIMILARITY_H_
#define POSENC_SRC_SIMILARITY_H_

#include <cstddef>
#include <cstdint>

#include "src/grid.h"

namespace posenc {

// out[i] = amplitude^2 * sum of cos(offsets[i] * w_k * position_scale) over all frequencies of the grid, each of which
// has a cosine. Runs on the best SIMD target of the CPU, chosen once a call.
void SimilarityOf(const FrequencyGrid& grid, const std::int64_t* offsets, std::size_t count, double* out) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_SIMILARITY_H_
