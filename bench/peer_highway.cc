// Bench, peers: Highway's contrib Sin and Cos on float angles, for every target of this build.

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
    const auto position = hn::Set(d, static_cast<float>(job.start + static_cast<std::int64_t>(r)));
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

const char* HighwayActiveTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace posenc_bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc_bench {

HWY_EXPORT(HighwaySinCos);
void HighwaySinCos(const LoopJob& job) noexcept { HWY_DYNAMIC_DISPATCH(HighwaySinCos)(job); }

HWY_EXPORT(HighwayActiveTarget);
const char* HighwayActiveTarget() noexcept { return HWY_DYNAMIC_DISPATCH(HighwayActiveTarget)(); }

}  // namespace posenc_bench
#endif  // HWY_ONCE
