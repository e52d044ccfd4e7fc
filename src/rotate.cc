// Room kernels: composes the rotation and the store for every type, once per SIMD target.

#include <cstddef>

#include "posenc/posenc.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/store.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/rotate.cc"
#include "hwy/foreach_target.h"
// The line above compiles this file once per target; it stays above highway.h and every -inl.h.
#include "hwy/highway.h"
#include "src/rotate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

void RotateRows(const FrequencyGrid& grid, const ListPosition* positions, std::size_t count, HeadShape shape,
                const Output& rows) {
  switch (rows.type) {
    case ElementType::kFloat:
      return RotateKernel<float>(grid, shape, rows).Run(positions, count);
    case ElementType::kDouble:
      return RotateKernel<double>(grid, shape, rows).Run(positions, count);
    case ElementType::kHalf:
      return RotateKernel<Half>(grid, shape, rows).Run(positions, count);
    case ElementType::kBFloat16:
      return RotateKernel<BFloat16>(grid, shape, rows).Run(positions, count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {

HWY_EXPORT(RotateRows);
void RotateRows(const FrequencyGrid& grid, const ListPosition* positions, std::size_t count, HeadShape shape,
                const Output& rows) noexcept {
  HWY_DYNAMIC_DISPATCH(RotateRows)(grid, positions, count, shape, rows);
}

}  // namespace posenc
#endif  // HWY_ONCE
