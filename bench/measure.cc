// Bench, measuring: samples go in, medians come out; and the clock of the core.

#include "bench/measure.h"

#include <time.h>

#include <algorithm>
#include <utility>

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

double SecondsPerPass(const Repeat& run, std::size_t passes) {
  const double begin = CpuSeconds();
  run(passes);
  return (CpuSeconds() - begin) / static_cast<double>(passes);
}

std::size_t PassesPerSample(const Repeat& run, const Effort& effort) {
  run(1);
  for (std::size_t passes = 1;; passes *= 2) {
    const double seconds = SecondsPerPass(run, passes) * static_cast<double>(passes);
    if (seconds >= effort.sample_seconds) return passes;
  }
}

double Rounds::Ratio(std::size_t b) const {
  std::vector<double> ratios(subject.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = baselines[b][i] / subject[i];
  return Median(std::move(ratios));
}

}  // namespace posenc_bench
