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
  switch (output.type) {
    case ElementType::kFloat:
      return RangeKernel<float>(grid, positions, output).Run();
    case ElementType::kDouble:
      return RangeKernel<double>(grid, positions, output).Run();
    case ElementType::kHalf:
      return RangeKernel<Half>(grid, positions, output).Run();
    case ElementType::kBFloat16:
      return RangeKernel<BFloat16>(grid, positions, output).Run();
  }
}

void EncodeListRows(const FrequencyGrid& grid, const ListPosition* positions, std::size_t count, const Output& output) {
  switch (output.type) {
    case ElementType::kFloat:
      return ListKernel<float>(grid, output).Run(positions, count);
    case ElementType::kDouble:
      return ListKernel<double>(grid, output).Run(positions, count);
    case ElementType::kHalf:
      return ListKernel<Half>(grid, output).Run(positions, count);
    case ElementType::kBFloat16:
      return ListKernel<BFloat16>(grid, output).Run(positions, count);
  }
}

void EncodeSortedRows(const FrequencyGrid& grid, const SortedPositions& positions, const Output& output) {
  switch (output.type) {
    case ElementType::kFloat:
      return SortedKernel<float>(grid, positions, output).Run();
    case ElementType::kDouble:
      return;
    case ElementType::kHalf:
      return SortedKernel<Half>(grid, positions, output).Run();
    case ElementType::kBFloat16:
      return SortedKernel<BFloat16>(grid, positions, output).Run();
  }
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
