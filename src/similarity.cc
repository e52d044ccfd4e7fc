// Room similarity: a grid and offsets go in, dot products of encodings come out. Compiles similarity-inl.h once per
// SIMD target.

#include "src/similarity.h"

#include <cstddef>
#include <cstdint>

#include "src/grid.h"
#include "src/similarity_sum.h"
#include "src/turns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/similarity.cc"
#include "hwy/foreach_target.h"
// The line above compiles this file once per target; it stays above highway.h and every -inl.h.
#include "hwy/highway.h"
#include "src/similarity-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

void SimilarityOf(const FrequencyGrid& grid, const std::int64_t* offsets, std::size_t count, double* out) {
  const CosineSum sum(grid);
  for (std::size_t i = 0; i < count; ++i) {
    const Position offset = PositionOf(offsets[i]);
    if (grid.is_extreme || !sum.At(offset.magnitude, out + i)) {
      out[i] = SumOfCosines(grid.turns, grid.shape.cosines, offset, grid.amplitude);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {

HWY_EXPORT(SimilarityOf);
void SimilarityOf(const FrequencyGrid& grid, const std::int64_t* offsets, std::size_t count, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(SimilarityOf)(grid, offsets, count, out);
}

}  // namespace posenc
#endif  // HWY_ONCE
