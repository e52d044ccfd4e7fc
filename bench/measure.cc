// Bench, measuring: samples go in, medians come out; and the clock of the core.

#include "bench/measure.h"

#include <time.h>

#include <algorithm>

namespace posenc_bench {

double CpuSeconds() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(samples.begin(), middle));
}

double CoreClockHz() noexcept {
  constexpr int kSteps = 32768;
  constexpr int kAdditionsPerStep = 8;
  std::uint64_t sum = 1;
  std::uint64_t addend = 3;
  // A register as the addend: some cores fold additions of constants into others while renaming registers.
  asm volatile("" : "+r"(addend));
  const auto add = [&] {
    sum += addend;
    asm volatile("" : "+r"(sum));
  };
  const double begin = CpuSeconds();
  for (int i = 0; i < kSteps; ++i) {
    add(), add(), add(), add();
    add(), add(), add(), add();
  }
  return kSteps * kAdditionsPerStep / (CpuSeconds() - begin);
}

double Rounds::MedianRatio(const std::vector<double>& baseline) const {
  std::vector<double> ratios(baseline.size());
  for (std::size_t i = 0; i < baseline.size(); ++i) ratios[i] = baseline[i] / subject[i];
  return Median(std::move(ratios));
}

}  // namespace posenc_bench
