// Bench, report: runs go in, a table that a person reads comes out.

#include "bench/table_reporter.h"

#include <algorithm>
#include <ostream>

#include "bench/baselines.h"
#include "bench/text.h"

namespace posenc_bench {
namespace {

constexpr std::size_t kWidth = 128;

// Fewer than these, by a filter, say nothing about the whole.
constexpr std::size_t kFlatRanges = 8;

// The baseline of a run that says most, and the word for it.
struct Compared {
  const char* counter;
  const char* word;
};
constexpr Compared kCompared[] = {{kCopyRatio, "copy"}, {kScaleRatio, "scale"}, {kFillRatio, "fill"}};

// value with `decimals`, right-aligned in `width`; a dash for a counter that the run has not got.
std::string Cell(const benchmark::UserCounters& counters, const char* name, double scale, int width, int decimals) {
  const auto counter = counters.find(name);
  if (counter == counters.end()) return Text("%*s", width, "-");
  return Text("%*.*f", width, decimals, scale * counter->second.value);
}

// How fast the run is beside what memory can do, such as "0.93 fill".
std::string MemoryCell(const benchmark::UserCounters& counters) {
  for (const Compared& compared : kCompared) {
    const auto counter = counters.find(compared.counter);
    if (counter != counters.end()) return Text("%5.2f %-5s", counter->second.value, compared.word);
  }
  return Text("%11s", "-");
}

std::string ErrorCell(const benchmark::UserCounters& counters) {
  const auto counter = counters.find("max_error");
  return counter == counters.end() ? Text("%8s", "-") : Text("%8.1e", counter->second.value);
}

// Three significant digits and a unit that a person would choose.
std::string Duration(double microseconds) {
  if (microseconds < 1.0) return Text("%6.1f ns", 1e3 * microseconds);
  return microseconds < 1e3 ? Text("%6.1f us", microseconds) : Text("%6.1f ms", 1e-3 * microseconds);
}

}  // namespace

bool TableReporter::ReportContext(const Context&) {
  std::ostream& out = GetOutputStream();
  for (const auto& [key, value] : facts_) {
    out << Text("%-16s %s\n", key.c_str(), value.c_str());
  }
  out << Text("\n%-64s %9s %6s %-11s %7s %9s %8s %8s\n", "work", "time", "GB/s", " of memory", "x libm", "ns/row",
              "cyc/64 B", "error");
  out << std::flush;
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
  if (!run.error_occurred && run.report_label != last_label_) {
    const std::size_t dashes = kWidth - run.report_label.size() - 4;
    out << "-- " << run.report_label << ' ' << std::string(dashes, '-') << '\n';
    last_label_ = run.report_label;
  }
  const auto element = run.counters.find("ns_per_element");
  if (run.counters.contains("flat") && element != run.counters.end()) {
    flat_ns_per_element_.push_back(element->second.value);
  }

  std::string line;
  if (run.error_occurred) {
    failed_ = true;
    line = Text("%-64s not measured: %s\n", name.c_str(), run.error_message.c_str());
  } else if (run.aggregate_unit == benchmark::kPercentage) {
    const auto bytes = run.counters.find("bytes_per_second");
    const double variation = bytes == run.counters.end() ? run.cpu_accumulated_time : bytes->second.value;
    line = Text("%-64s %7.1f %%\n", name.c_str(), 100.0 * variation);
  } else {
    line = Text("%-64s %s %s %s %s %s %s %s\n", name.c_str(), Duration(run.GetAdjustedCPUTime()).c_str(),
                Cell(run.counters, "bytes_per_second", 1e-9, 6, 1).c_str(), MemoryCell(run.counters).c_str(),
                Cell(run.counters, kLibmRatio, 1.0, 7, 1).c_str(), Cell(run.counters, "ns_per_row", 1.0, 9, 1).c_str(),
                Cell(run.counters, "cycles_per_64B", 1.0, 8, 2).c_str(), ErrorCell(run.counters).c_str());
  }
  out << line << std::flush;
}

void TableReporter::Finalize() {
  std::ostream& out = GetOutputStream();
  out << "\nof memory: speed over that of memset (fill), memcpy (copy) or a loop that scales in place (scale) on the "
         "same "
         "memory. x libm:\nover that of a loop of sinf and cosf with hoisted frequencies. Both are medians of ratios "
         "taken "
         "in turns. cyc: cycles of the\ncore's clock, measured between the passes. error: the largest absolute one of "
         "4096 "
         "elements, against MPFR; those of posenc are\nchecked to be within half a unit in the last place of their "
         "type "
         "(Similarity: one), and a line says so if they are not.\n";
  if (flat_ns_per_element_.size() >= kFlatRanges) {
    const auto [least, most] = std::minmax_element(flat_ns_per_element_.begin(), flat_ns_per_element_.end());
    out << Text(
        "How flat: an element of %zu ranges of floats, from 1 MiB and dim 64 on and as far as position 2^60, "
        "takes %.3f to %.3f ns.\n",
        flat_ns_per_element_.size(), *least, *most);
  }
  out << std::flush;
}

}  // namespace posenc_bench
