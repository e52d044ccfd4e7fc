// Room kernels: the rotations of a group and its super-anchor go in, values of rows in float lanes come out: the
// recurrence for results of so few bits that floats decide most of them; per target, where whole vectors can be
// permuted.
//
// Error, in units of u = 2^-24 times the amplitude, component against norm: anchor and rotation are rounded from
// doubles, by u/2 in each component, sqrt(1/2) together, for no component is above 1 (times the amplitude, a power of
// two for this purpose: FrequencyGrid::eps_scale); the rotation adds sqrt(5) for products and sum. In all, with the
// 2^-49 of the doubles, 3.66 u < 2^-22.

#if defined(POSENC_SRC_FLOAT_RECURRENCE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_FLOAT_RECURRENCE_INL_H_TOGGLE
#undef POSENC_SRC_FLOAT_RECURRENCE_INL_H_TOGGLE
#else
#define POSENC_SRC_FLOAT_RECURRENCE_INL_H_TOGGLE
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/grid.h"
#include "src/lanes-inl.h"
#include "src/recurrence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// eps of values of amplitude 1 in float lanes.
inline constexpr double kFloatLanesEps = 0x1p-22;

// Angles below this are left to double lanes: floats would leave open what is below 2^-14 and an element in 2^14 s of
// the values of size s.
inline constexpr double kFloatLanesRadians = 0x1p-5;

#if POSENC_WHOLE_VECTORS
// The rotations from an anchor to its rows, as floats: for each pair of rows kGroup cosines, then kGroup sines.
struct FloatRotations {
  HWY_ALIGN_MAX float values[kRowRotations * 2 * kGroup];

  HWY_NOINLINE void Fill(const double* HWY_RESTRICT rotation) {
    const Doubles d;
    for (std::size_t k = 0; k < kRowRotations * 2 * kGroup; k += hn::Lanes(d)) {
      hn::StoreU(hn::DemoteTo(Floats(), hn::Load(d, rotation + k)), Floats(), values + k);
    }
  }
};

HWY_INLINE FloatPair RotateFloats(SingleVec first, SingleVec second, SingleVec cos, SingleVec sin) {
  const SingleVec fs = hn::Mul(first, sin);
  const SingleVec ss = hn::Mul(second, sin);
  return {hn::MulAdd(first, cos, ss), hn::MulSub(second, cos, fs), hn::MulSub(first, cos, ss),
          hn::MulAdd(second, cos, fs)};
}
#endif  // POSENC_WHOLE_VECTORS

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_FLOAT_RECURRENCE_INL_H_TOGGLE
