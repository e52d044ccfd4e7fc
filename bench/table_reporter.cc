// Bench, report: runs go in, a table that a person reads comes out.

#include "bench/table_reporter.h"

#include <cstdio>
#include <ostream>

namespace posenc_bench {
namespace {

constexpr std::size_t kWidth = 119;

// value with `decimals`, right-aligned in `width`; a dash for a counter that the run has not got.
std::string Cell(const benchmark::UserCounters& counters, const char* name, double scale, int width, int decimals) {
  char text[32];
  const auto counter = counters.find(name);
  if (counter == counters.end()) {
    std::snprintf(text, sizeof(text), "%*s", width, "-");
  } else {
    std::snprintf(text, sizeof(text), "%*.*f", width, decimals, scale * counter->second.value);
  }
  return text;
}

std::string ErrorCell(const benchmark::UserCounters& counters) {
  char text[32];
  const auto counter = counters.find("max_error");
  if (counter == counters.end()) return "       -";
  std::snprintf(text, sizeof(text), "%8.1e", counter->second.value);
  return text;
}

// Three significant digits and a unit that a person would choose.
std::string Duration(double microseconds) {
  char text[32];
  if (microseconds < 1.0) {
    std::snprintf(text, sizeof(text), "%6.1f ns", 1e3 * microseconds);
  } else if (microseconds < 1e3) {
    std::snprintf(text, sizeof(text), "%6.1f us", microseconds);
  } else {
    std::snprintf(text, sizeof(text), "%6.1f ms", 1e-3 * microseconds);
  }
  return text;
}

}  // namespace

bool TableReporter::ReportContext(const Context&) {
  std::ostream& out = GetOutputStream();
  for (const auto& [key, value] : facts_) {
    char line[400];
    std::snprintf(line, sizeof(line), "%-16s %s\n", key.c_str(), value.c_str());
    out << line;
  }
  char header[200];
  std::snprintf(header, sizeof(header), "\n%-56s %9s %7s %7s %7s %9s %8s %8s\n", "work", "time", "GB/s", "of fill",
                "x libm", "ns/row", "cyc/64 B", "error");
  out << header << std::flush;
  return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  const bool repeated = runs.size() > 1;
  for (const Run& run : runs) {
    const bool aggregate = run.run_type == Run::RT_Aggregate;
    const bool shown = aggregate && (run.aggregate_name == "median" || run.aggregate_name == "cv");
    if (run.error_occurred || shown || (!aggregate && !repeated)) PrintRun(run);
  }
}

void TableReporter::PrintRun(const Run& run) {
  std::ostream& out = GetOutputStream();
  const std::string name = run.benchmark_name();
  if (run.report_label != last_label_) out << std::string(kWidth, '-') << '\n';
  last_label_ = run.report_label;

  char line[400];
  if (run.error_occurred) {
    failed_ = true;
    std::snprintf(line, sizeof(line), "%-56s not measured: %s\n", name.c_str(), run.error_message.c_str());
  } else if (run.aggregate_unit == benchmark::kPercentage) {
    const auto bytes = run.counters.find("bytes_per_second");
    const double variation = bytes == run.counters.end() ? run.cpu_accumulated_time : bytes->second.value;
    std::snprintf(line, sizeof(line), "%-56s %7.1f %%\n", name.c_str(), 100.0 * variation);
  } else {
    std::snprintf(
        line, sizeof(line), "%-56s %s %s %s %s %s %s %s\n", name.c_str(), Duration(run.GetAdjustedCPUTime()).c_str(),
        Cell(run.counters, "bytes_per_second", 1e-9, 7, 1).c_str(), Cell(run.counters, "fill_ratio", 1.0, 7, 2).c_str(),
        Cell(run.counters, "libm_ratio", 1.0, 7, 1).c_str(), Cell(run.counters, "ns_per_row", 1.0, 9, 1).c_str(),
        Cell(run.counters, "cycles_per_64B", 1.0, 8, 2).c_str(), ErrorCell(run.counters).c_str());
  }
  out << line << std::flush;
}

void TableReporter::Finalize() {
  GetOutputStream()
      << "\nof fill: speed over that of memset on the same memory; x libm: over that of a loop of sinf and "
         "cosf with hoisted\nfrequencies; both medians of ratios taken in turns. cyc: cycles of the core's "
         "clock, measured between the passes.\nerror: largest absolute one of 8192 elements of the table; "
         "2^-25 = 3.0e-08 is a float rounded once.\n"
      << std::flush;
}

}  // namespace posenc_bench
