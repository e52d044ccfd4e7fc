// Bench, cases: options go in, the benchmarks of posenc_bench are registered. Names are
// Op/type/layout/d<dim>/<size>[/variant]/<target>.

#ifndef POSENC_BENCH_CASES_H_
#define POSENC_BENCH_CASES_H_

#include "bench/measure.h"

namespace posenc_bench {

struct Options {
  bool table_only = false;  // only the cases that make the short table
  bool alone = false;       // no baselines between the passes and no check after them: for profilers
  Effort effort;
};

void RegisterCases(const Options& options);

}  // namespace posenc_bench

#endif  // POSENC_BENCH_CASES_H_
