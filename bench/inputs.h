// Bench, inputs: a Case goes in, the positions of its rows and the elements that it reads come out. They are the same
// in every run.

#ifndef POSENC_BENCH_INPUTS_H_
#define POSENC_BENCH_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/case.h"
#include "bench/peers.h"

namespace posenc_bench {

// The positions of the passes of a case. A range has starts, a power of two of them, that passes take in turn. A list
// has a position a row: integers, or only reals if they are fractional. reals are what loops in floating point take.
struct Inputs {
  std::vector<std::int64_t> starts = {};
  std::vector<std::int64_t> integers = {};
  std::vector<double> reals = {};

  bool IsList() const { return !reals.empty(); }
  std::int64_t Start(std::size_t pass) const { return starts[pass & (starts.size() - 1)]; }
};

Inputs InputsOf(const Case& c);

// Points a job to the positions of pass `pass` from row `row` on.
void SetPositions(const Inputs& inputs, std::size_t pass, std::size_t row, LoopJob& job);

// Fills `bytes` with elements of a format: random signs and fractions, sizes from 0.25 to 2. They repeat after
// kXPeriodBytes.
inline constexpr std::size_t kXPeriodBytes = std::size_t{1} << 16;
void FillX(const Format& format, void* x, std::size_t bytes);

}  // namespace posenc_bench

#endif  // POSENC_BENCH_INPUTS_H_
