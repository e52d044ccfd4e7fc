// Bench, program posenc_bench: flags go in, a table of speeds (and JSON with --benchmark_out) comes out.

#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bench/cases.h"
#include "bench/memory.h"
#include "bench/table_reporter.h"
#include "bench/text.h"
#include "posenc/posenc.h"

namespace posenc_bench {
namespace {

void PrintHelp() {
  std::puts(
      "posenc_bench [flags]                         measures posenc, its peers and the fill of the same memory\n"
      "  --table                                    a short list: the best target, peers at dim 512 and 8 MiB\n"
      "  --quick                                    one short pass of everything: that it runs, and writes what it "
      "should\n"
      "  --alone                                    nothing but the subject runs: for profilers; no ratios\n"
      "  --pages=huge                               asks for huge pages; the default is what malloc gives\n"
      "  --benchmark_filter=<regex>                 only names that match, e.g. 'EncodeRange/.*/d512/8MiB/'\n"
      "  --benchmark_list_tests                     the names, Op/type/layout/dim/size[/variant]/target\n"
      "  --benchmark_repetitions=<n>                the median of n measurements and their variation\n"
      "  --benchmark_min_time=<seconds>             of a measurement; 0.5 if not told\n"
      "  --benchmark_out=<file>                     all counters as JSON\n"
      "  --benchmark_format=<console|json|csv>      Google Benchmark's own report in place of the table\n"
      "Pin it to a core for steadier figures: taskset -c 1 posenc_bench ...");
}

// Takes `flag` out of argv.
bool TakeFlag(int* argc, char** argv, const char* flag) {
  for (int i = 1; i < *argc; ++i) {
    if (std::strcmp(argv[i], flag) != 0) continue;
    for (int j = i; j < *argc; ++j) argv[j] = argv[j + 1];
    --*argc;
    return true;
  }
  return false;
}

bool HasFlagPrefix(int argc, char** argv, const char* prefix) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], prefix, std::strlen(prefix)) == 0) return true;
  }
  return false;
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown model";
}

std::string Caches() {
  std::string text;
  for (const benchmark::CPUInfo::CacheInfo& cache : benchmark::CPUInfo::Get().caches) {
    if (cache.type == "Instruction") continue;
    if (!text.empty()) text += ", ";
    text += Text("L%d %d KiB", cache.level, cache.size / 1024);
    if (cache.num_sharing > 1) text += Text(" shared by %d", cache.num_sharing);
  }
  return text.empty() ? "unknown" : text;
}

std::string Targets() {
  std::string text;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (!text.empty()) text += " ";
    text += hwy::TargetName(target);
  }
  return text;
}

std::string Compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return std::string("GCC ") + __VERSION__;
#endif
}

std::string Build() {
  std::string text = POSENC_BENCH_BUILD_TYPE;
  if (text.empty()) text = "no build type";
#ifdef NDEBUG
  text += ", NDEBUG";
#else
  text += ", assertions on";
#endif
#ifndef __OPTIMIZE__
  text += ", not optimised";
#endif
  return text;
}

Facts CollectFacts() {
  return {
      {"cpu", CpuModel() + ", " + std::to_string(benchmark::CPUInfo::Get().num_cpus) + " CPUs"},
      {"cache_sizes", Caches()},
      {"active_target", posenc::ActiveTarget()},
      {"targets", Targets()},
      {"compiler", Compiler()},
      {"build", Build()},
      {"pages", "warm (written before), or fresh where the name says so; " + PageDescription()},
      {"cycles", "of the core clock, from a chain of dependent additions timed between the passes"},
      {"benchmark", "packages of Google Benchmark may call themselves a DEBUG build; 'build' is that of posenc"},
  };
}

int Main(int argc, char** argv) {
  Options options;
  options.table_only = TakeFlag(&argc, argv, "--table");
  options.alone = TakeFlag(&argc, argv, "--alone");
  const bool quick = TakeFlag(&argc, argv, "--quick");
  if (quick) options.effort = {.rounds = 1, .sample_seconds = 0.0};
  if (TakeFlag(&argc, argv, "--pages=huge")) UseHugePages();
  const bool own_report = !HasFlagPrefix(argc, argv, "--benchmark_format");

  // Before the caller's own arguments, which win.
  std::vector<char*> arguments(argv, argv + argc);
  char shortest[] = "--benchmark_min_time=1e-9";
  if (quick) arguments.insert(arguments.begin() + 1, shortest);
  arguments.push_back(nullptr);
  argc = static_cast<int>(arguments.size()) - 1;
  argv = arguments.data();
  benchmark::Initialize(&argc, argv, PrintHelp);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
#if !defined(__OPTIMIZE__) || !defined(NDEBUG)
  std::fputs("posenc_bench: this is not an optimised build with NDEBUG; its figures say nothing about posenc.\n",
             stderr);
#endif
  Facts facts = CollectFacts();
  if (quick) facts.emplace_back("quick", "one pass of everything: its times and ratios say nothing");
  for (const auto& [key, value] : facts) benchmark::AddCustomContext(key, value);
  RegisterCases(options);

  TableReporter table(facts);
  const std::size_t matches =
      own_report ? benchmark::RunSpecifiedBenchmarks(&table) : benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (matches == 0) std::fputs("posenc_bench: no name matches the filter; --benchmark_list_tests shows them\n", stderr);
  return matches == 0 || table.failed() ? 1 : 0;
}

}  // namespace
}  // namespace posenc_bench

int main(int argc, char** argv) { return posenc_bench::Main(argc, argv); }
