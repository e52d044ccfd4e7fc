// Bench, peers: Highway's contrib Sin and Cos on float angles, and a loop that scales an array, for every target of
// this build.

#include <cstring>

#include "bench/peers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peer_highway.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc_bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Not noexcept: HWY_EXPORT's table of functions is of plain ones.
void HighwaySinCos(const LoopJob& job) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = job.dim / 2;
  HWY_ALIGN float tail[2 * hn::MaxLanes(d)];
  for (std::size_t r = 0; r < job.rows; ++r) {
    const auto position = hn::Set(d, static_cast<float>(PositionOfRow(job, r)));
    float* out = job.out + r * job.dim;
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
      const auto angle = hn::Mul(position, hn::LoadU(d, job.radians_f32 + k));
      hn::StoreInterleaved2(hn::Sin(d, angle), hn::Cos(d, angle), d, out + 2 * k);
    }
    if (k < count) {
      const auto angle = hn::Mul(position, hn::LoadU(d, job.radians_f32 + k));
      hn::StoreInterleaved2(hn::Sin(d, angle), hn::Cos(d, angle), d, tail);
      std::memcpy(out + 2 * k, tail, 2 * (count - k) * sizeof(float));
    }
  }
}

// An intrinsic for every vector, so that no compiler decides whether the loop is vectorised.
template <class T>
void ScaleElements(T* data, std::size_t count, float by) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, static_cast<T>(by));
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, data + i), factor), d, data + i);
    hn::StoreU(hn::Mul(hn::LoadU(d, data + i + lanes), factor), d, data + i + lanes);
    hn::StoreU(hn::Mul(hn::LoadU(d, data + i + 2 * lanes), factor), d, data + i + 2 * lanes);
    hn::StoreU(hn::Mul(hn::LoadU(d, data + i + 3 * lanes), factor), d, data + i + 3 * lanes);
  }
  for (; i < count; ++i) data[i] *= static_cast<T>(by);
}

void HighwayScale(void* data, std::size_t bytes, std::size_t element_bytes, float by) {
  if (element_bytes == sizeof(double)) {
    ScaleElements(static_cast<double*>(data), bytes / sizeof(double), by);
  } else {
    ScaleElements(static_cast<float*>(data), bytes / sizeof(float), by);
  }
}

const char* HighwayActiveTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace posenc_bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc_bench {

HWY_EXPORT(HighwaySinCos);
void HighwaySinCos(const LoopJob& job) noexcept { HWY_DYNAMIC_DISPATCH(HighwaySinCos)(job); }

HWY_EXPORT(HighwayScale);
void HighwayScale(void* data, std::size_t bytes, std::size_t element_bytes, float by) noexcept {
  HWY_DYNAMIC_DISPATCH(HighwayScale)(data, bytes, element_bytes, by);
}

HWY_EXPORT(HighwayActiveTarget);
const char* HighwayActiveTarget() noexcept { return HWY_DYNAMIC_DISPATCH(HighwayActiveTarget)(); }

}  // namespace posenc_bench
#endif  // HWY_ONCE
