// Bench, measuring: a pass (a function that writes a table) goes in, medians of times and of ratios come out.
//
// Machines are noisy: clocks move, neighbours share caches and memory. So no absolute time is compared with another
// one measured seconds away. A round times a batch of passes, then at once a batch of fills of the same memory and a
// batch of a libm loop, and the core clock. Each round gives one ratio, and the median over at least kMinRounds rounds
// is reported.

#ifndef POSENC_BENCH_MEASURE_H_
#define POSENC_BENCH_MEASURE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace posenc_bench {

inline constexpr std::size_t kMinRounds = 7;

// A sample lasts at least this long: reading the clock, a system call, is below 0.1 % of it, and a table of 8 MiB is
// written several times. The first pass after another writer had the memory is slower for both (28 in place of 34 GB/s
// for posenc with samples of one pass, Zen 5), and how much slower depends on the other.
inline constexpr double kSampleSeconds = 2e-3;

// CPU seconds of this thread. Not the time of day: on a busy machine that would count the time slices of others, and
// the more of them the longer a sample is, which bends ratios.
double CpuSeconds() noexcept;

// Makes the compiler assume that the memory behind pointer is read and changed here: no store before it can be left out
// or moved, and no value after it is known.
inline void Observe(const void* pointer) noexcept { asm volatile("" : : "r"(pointer) : "memory"); }

// The median of at least one sample; the mean of the middle two of an even number.
double Median(std::vector<double> samples);

// The clock of this core now, in Hz: the time of a chain of additions that each wait for the one before, one cycle
// each. The time-stamp counter would tell the nominal frequency instead, which a core under load does not run at.
double CoreClockHz() noexcept;

// Mean seconds of one of `passes` calls.
template <class Pass>
double SecondsPerPass(Pass&& pass, std::size_t passes) {
  const double begin = CpuSeconds();
  for (std::size_t i = 0; i < passes; ++i) pass();
  return (CpuSeconds() - begin) / static_cast<double>(passes);
}

// How many passes last kSampleSeconds. Calls pass a few times, which also warms caches and branch predictors.
template <class Pass>
std::size_t PassesPerSample(Pass&& pass) {
  pass();
  for (std::size_t passes = 1;; passes *= 2) {
    const double seconds = SecondsPerPass(pass, passes) * static_cast<double>(passes);
    if (seconds >= kSampleSeconds) return passes;
  }
}

// Seconds of one pass, sampled alternately; entry i of each vector is round i.
struct Rounds {
  std::vector<double> subject;
  std::vector<double> fill;  // memset of the bytes that the subject writes
  std::vector<double> libm;  // the libm loop, scaled to the elements that the subject writes
  std::vector<double> clock_hz;

  double SubjectSeconds() const { return Median(subject); }
  double FillSeconds() const { return Median(fill); }
  double ClockHz() const { return Median(clock_hz); }
  double FillRatio() const { return MedianRatio(fill); }  // 1: as fast as the fill
  double LibmRatio() const { return MedianRatio(libm); }  // 10: ten times as fast as the loop

 private:
  double MedianRatio(const std::vector<double>& baseline) const;
};

}  // namespace posenc_bench

#endif  // POSENC_BENCH_MEASURE_H_
