// Bench, measuring: a pass (a function that writes a table) goes in, medians of times and of ratios come out.
//
// Machines are noisy: clocks move, neighbours share caches and memory. So no absolute time is compared with another
// one measured seconds away. A round times a batch of passes, then at once a batch of each baseline (fills of the
// same memory, copies, a libm loop), and the core clock. Each round gives one ratio a baseline, and the median over the
// rounds is reported.

#ifndef POSENC_BENCH_MEASURE_H_
#define POSENC_BENCH_MEASURE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace posenc_bench {

// How much is measured. The default is for figures; a trial run of everything needs less.
struct Effort {
  std::size_t rounds = 7;  // at least
  // A sample lasts at least this long: reading the clock, a system call, is below 0.1 % of it, and a table of 8 MiB is
  // written several times. The first pass after another writer had the memory is slower for both (28 in place of 34
  // GB/s for posenc with samples of one pass, Zen 5), and how much slower depends on the other.
  double sample_seconds = 2e-3;
};

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

// Makes a number of passes. The loop is inside, so that a pass of a few nanoseconds pays for no call through a pointer.
using Repeat = std::function<void(std::size_t passes)>;

template <class Pass>
Repeat Repeated(Pass pass) {
  return [pass](std::size_t passes) mutable {
    for (std::size_t i = 0; i < passes; ++i) pass();
  };
}

// Mean seconds of one of `passes` passes.
double SecondsPerPass(const Repeat& run, std::size_t passes);

// How many passes last as long as a sample. Makes a few, which also warms caches and branch predictors.
std::size_t PassesPerSample(const Repeat& run, const Effort& effort);

// Seconds of one pass, sampled alternately; entry i of each vector is round i.
struct Rounds {
  std::vector<double> subject;
  std::vector<std::vector<double>> baselines;  // scaled to the work of a pass of the subject
  std::vector<double> clock_hz;

  double SubjectSeconds() const { return Median(subject); }
  double BaselineSeconds(std::size_t b) const { return Median(baselines[b]); }
  double ClockHz() const { return Median(clock_hz); }
  // The speed of the subject over that of a baseline, the median of the ratios of the rounds.
  double Ratio(std::size_t b) const;
};

}  // namespace posenc_bench

#endif  // POSENC_BENCH_MEASURE_H_
