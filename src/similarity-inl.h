// Room similarity: a grid and offsets go in, sums of cosines come out; per target.
//
// The cosines and their sum are pairs of doubles. With u = 2^-53 and n cosines: each is within 2^-101 (SinCosPairs) and
// 2^-103 more for the angle, so below 8 * 8 u^2 = 2^-100. A PairSum of partial sums, none above n, is within 8 u^2 n;
// there are at most n of them and 32 more that join the lanes. Together n (n + 40) 8 u^2, and 8 u^2 = 2^-103. The
// product with the square of the amplitude, which is exact as a pair, is within 4 u^2 of itself, and the test below
// rounds by u^2 more. A result is taken if the whole interval around it rounds to one double: then it is the exact
// value rounded once, on every target. The others, which are those of sums that cancel to n^2 2^-50 and less and a few
// by chance, come from SumOfCosines.

#if defined(POSENC_SRC_SIMILARITY_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_SIMILARITY_INL_H_TOGGLE
#undef POSENC_SRC_SIMILARITY_INL_H_TOGGLE
#else
#define POSENC_SRC_SIMILARITY_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/grid.h"
#include "src/lanes-inl.h"
#include "src/sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The sums of one grid. Its amplitude is not extreme.
class CosineSum {
 public:
  explicit CosineSum(const FrequencyGrid& grid) : grid_(grid), count_(grid.shape.cosines) {
    const double n = static_cast<double>(count_);
    error_ = n * (n + 40.0) * 0x1p-103;
  }

  // The result at an offset of this magnitude. False: undecided, and *result is not touched.
  HWY_NOINLINE bool At(std::uint64_t magnitude, double* result) const {
    const Doubles d;
    Vec sum = hn::Zero(d), sum_low = hn::Zero(d);
    for (std::size_t g = 0; g < grid_.groups; ++g) AddGroup(g, magnitude, sum, sum_low);

    HWY_ALIGN_MAX double lanes[hn::MaxLanes(Doubles())];
    HWY_ALIGN_MAX double lanes_low[hn::MaxLanes(Doubles())];
    hn::Store(sum, d, lanes);
    hn::Store(sum_low, d, lanes_low);
    sum = hn::Set(d, lanes[0]);
    sum_low = hn::Set(d, lanes_low[0]);
    for (std::size_t lane = 1; lane < hn::Lanes(d); ++lane) {
      PairSum(sum, sum_low, hn::Set(d, lanes[lane]), hn::Set(d, lanes_low[lane]), sum, sum_low);
    }

    const Vec amplitude = hn::Set(d, grid_.amplitude);
    const Vec square = hn::Mul(amplitude, amplitude);
    Vec product, product_low, high, low;
    PairProduct(d, sum, sum_low, square, ProductError(d, amplitude, amplitude, square), product, product_low);
    FastTwoSum(product, product_low, high, low);
    const Vec error = hn::MulAdd(square, hn::Set(d, error_), hn::Mul(hn::Abs(high), hn::Set(d, 0x1p-102)));
    const Vec rounded = hn::Add(high, hn::Add(low, error));
    const Vec other = hn::Add(high, hn::Sub(low, error));
    if (!hn::AllTrue(d, hn::Eq(rounded, other))) return false;
    *result = hn::GetLane(rounded);
    return true;
  }

 private:
  HWY_INLINE void AddGroup(std::size_t g, std::uint64_t magnitude, Vec& sum, Vec& sum_low) const {
    const Doubles d;
    const GroupFractions whole = FractionsOfGroup(grid_.whole, g);
    const std::size_t end = std::min(kGroup, count_ - g * kGroup);
    GroupAngles angles;
    for (std::size_t k = 0; k < end; ++k) angles.Set(k, whole.Times<Turn<true>>(magnitude, k));
    for (std::size_t k = end; k % hn::Lanes(d) != 0; ++k) angles.Set(k, Turn<true>{0});
    for (std::size_t k = 0; k < end; k += hn::Lanes(d)) {
      Vec sin, sin_low, cos, cos_low;
      SinCosPairs(d, hn::Load(d, angles.eighths + k), hn::Load(d, angles.eighths_low + k),
                  hn::Load(Bits64(), angles.quarters + k), sin, sin_low, cos, cos_low);
      // Lanes beyond the last frequency have the angle 0, whose cosine is exactly 1: its low part is 0.
      if (end - k < hn::Lanes(d)) cos = hn::IfThenElseZero(hn::FirstN(d, end - k), cos);
      PairSum(sum, sum_low, cos, cos_low, sum, sum_low);
    }
  }

  const FrequencyGrid& grid_;
  const std::size_t count_;
  double error_;  // of the sum
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_SIMILARITY_INL_H_TOGGLE
