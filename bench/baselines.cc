// Bench, baselines: memory goes in, what its speed is compared with comes out.

#include "bench/baselines.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace posenc_bench {
namespace {

// The loop takes ten times as long as posenc: slices of the table are enough. They walk through all of it, because sinf
// and cosf are slower for larger angles. They have memory of their own, to leave the caches and the page state of the
// table alone.
class LibmSlices {
 public:
  LibmSlices(const posenc::Spec& spec, std::size_t rows, const Inputs& inputs, Loop loop)
      : rows_(rows), inputs_(inputs), loop_(loop), frequencies_(spec) {
    constexpr std::size_t kSliceElements = 4096;
    slice_rows_ = std::min(rows, std::max<std::size_t>(1, kSliceElements / spec.dim));
    slice_.resize(slice_rows_ * spec.dim);
    job_ = JobFor(spec, frequencies_, slice_.data());
    job_.rows = slice_rows_;
  }

  double Share() const { return static_cast<double>(slice_rows_) / static_cast<double>(rows_); }

  void Pass() {
    // The fraction of the golden ratio: multiples of it modulo 1 are spread evenly, however many there are.
    constexpr double kStride = 0x1.3c6ef372fe95p-1;
    const double turn = static_cast<double>(slices_) * kStride;
    const auto row = static_cast<std::size_t>((turn - std::floor(turn)) * static_cast<double>(rows_ - slice_rows_ + 1));
    SetPositions(inputs_, slices_++, row, job_);
    loop_(job_);
    Observe(slice_.data());
  }

 private:
  std::size_t rows_;
  const Inputs& inputs_;
  Loop loop_;
  Frequencies frequencies_;
  std::size_t slice_rows_ = 0;
  std::vector<float> slice_;
  LoopJob job_;
  std::size_t slices_ = 0;
};

}  // namespace

Baseline Fill(void* data, std::size_t bytes) {
  return {kFillRatio, Repeated([=] {
            std::memset(data, 0x3f, bytes);
            Observe(data);
          })};
}

Baseline Copy(const void* from, void* to, std::size_t bytes) {
  return {kCopyRatio, Repeated([=] {
            std::memcpy(to, from, bytes);
            Observe(to);
          })};
}

Baseline Scale(void* data, std::size_t bytes, std::size_t element_bytes) {
  return {kScaleRatio, Repeated([=] {
            // Sizes stay as they are, however often this runs.
            HighwayScale(data, bytes, element_bytes, -1.0f);
            Observe(data);
          })};
}

Baseline Libm(const posenc::Spec& spec, std::size_t rows, const Inputs& inputs, Loop loop) {
  const auto slices = std::make_shared<LibmSlices>(spec, rows, inputs, loop);
  return {kLibmRatio, Repeated([slices] { slices->Pass(); }), slices->Share(), true};
}

}  // namespace posenc_bench
