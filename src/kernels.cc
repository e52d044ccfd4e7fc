// Room kernels: composes kernels and store for every type, layout and way of storing, once per SIMD target.

#include "src/kernels.h"

#include <cstddef>

#include "src/grid.h"
#include "src/store.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels.cc"
#include "hwy/foreach_target.h"
// The line above compiles this file once per target; it stays above highway.h and every -inl.h.
#include "hwy/highway.h"
#include "src/positions-inl.h"
#include "src/range-inl.h"
#include "src/sorted-inl.h"
#include "src/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

void FillRotations(FrequencyGrid& grid) {
  for (std::size_t g = 0; g < grid.groups; ++g) {
    FillGroupRotations(FractionsOfGroup(grid.half, g), grid.rotation + g * kRotationDoubles,
                       grid.rotation_low + g * kRotationDoubles);
  }
}

void EncodeRangeRows(const FrequencyGrid& grid, const RangePositions& positions, const Output& output) {
  if (output.type == ElementType::kDouble) return RangeKernel<true>(grid, positions, output).Run();
  RangeKernel<false>(grid, positions, output).Run();
}

void EncodeListRows(const FrequencyGrid& grid, const ListPosition* positions, std::size_t count, const Output& output) {
  const OutputRows rows(grid, output);
  if (output.type == ElementType::kDouble) return ListKernel<true>(rows).Run(positions, count);
  ListKernel<false>(rows).Run(positions, count);
}

void EncodeSortedRows(const FrequencyGrid& grid, const SortedPositions& positions, const Output& output) {
  if (output.type == ElementType::kDouble) return;
  const OutputRows rows(grid, output);
  SortedKernel(positions, rows).Run();
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {

HWY_EXPORT(FillRotations);
void FillRotations(FrequencyGrid& grid) noexcept { HWY_DYNAMIC_DISPATCH(FillRotations)(grid); }

HWY_EXPORT(EncodeRangeRows);
void EncodeRangeRows(const FrequencyGrid& grid, const RangePositions& positions, const Output& output) noexcept {
  HWY_DYNAMIC_DISPATCH(EncodeRangeRows)(grid, positions, output);
}

HWY_EXPORT(EncodeListRows);
void EncodeListRows(const FrequencyGrid& grid, const ListPosition* positions, std::size_t count,
                    const Output& output) noexcept {
  HWY_DYNAMIC_DISPATCH(EncodeListRows)(grid, positions, count, output);
}

HWY_EXPORT(EncodeSortedRows);
void EncodeSortedRows(const FrequencyGrid& grid, const SortedPositions& positions, const Output& output) noexcept {
  HWY_DYNAMIC_DISPATCH(EncodeSortedRows)(grid, positions, output);
}

HWY_EXPORT(TargetName);
const char* TargetName() noexcept { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace posenc
#endif  // HWY_ONCE
