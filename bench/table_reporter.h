// Bench, report: runs go in, a table that a person reads comes out.

#ifndef POSENC_BENCH_TABLE_REPORTER_H_
#define POSENC_BENCH_TABLE_REPORTER_H_

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

namespace posenc_bench {

// Facts of the run, in the order in which they are shown.
using Facts = std::vector<std::pair<std::string, std::string>>;

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  explicit TableReporter(Facts facts) : facts_(std::move(facts)) {}

  bool ReportContext(const Context& context) override;
  // One line a run, or the median and the coefficient of variation of several repetitions.
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

  bool failed() const { return failed_; }

 private:
  void PrintRun(const Run& run);

  Facts facts_;
  std::string last_label_;
  std::vector<double> flat_ns_per_element_;
  bool failed_ = false;
};

}  // namespace posenc_bench

#endif  // POSENC_BENCH_TABLE_REPORTER_H_
