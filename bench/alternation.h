// Bench, alternation: a subject and its baselines go in, rounds of their times come out. The one way in which posenc,
// its peers and the demo are measured.

#ifndef POSENC_BENCH_ALTERNATION_H_
#define POSENC_BENCH_ALTERNATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/baselines.h"
#include "bench/measure.h"
#include "bench/memory.h"

namespace posenc_bench {

class Alternation {
 public:
  // Finds how many passes make a sample, which also warms caches and the dispatch of the first call up. On fresh pages
  // a sample is one pass, and the pages are given back between samples. Appends to rounds. All arguments outlive this
  // object.
  Alternation(const Repeat& subject, const std::vector<Baseline>& baselines, TableMemory& memory, const Effort& effort,
              Rounds& rounds);

  // How many passes RunSubject makes.
  std::size_t passes() const { return passes_; }

  // Page faults in the last RunSubject.
  std::int64_t page_faults() const { return page_faults_; }

  // The two halves of a round, in this order. They are apart so that a caller's own timer can run in the first only.
  void RunSubject();
  void RunBaselines();

 private:
  const Repeat& subject_;
  const std::vector<Baseline>& baselines_;
  TableMemory& memory_;
  Rounds& rounds_;
  std::size_t passes_ = 1;
  std::vector<std::size_t> baseline_passes_;
  std::int64_t page_faults_ = 0;
};

}  // namespace posenc_bench

#endif  // POSENC_BENCH_ALTERNATION_H_
