// Bench, cases: options go in, the benchmarks of posenc_bench are registered.

#include "bench/cases.h"

#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bench/alternation.h"
#include "bench/case_lists.h"
#include "bench/check.h"
#include "bench/work.h"

namespace posenc_bench {
namespace {

using posenc::Encoder;

// Every library call goes to `target` as long as this lives. The mask in Highway is one for the whole process.
class ScopedTarget {
 public:
  explicit ScopedTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;
};

// The rounds of one benchmark over the calls in which Google Benchmark looks for a number of iterations. A call with no
// more iterations than the last one begins a new repetition.
struct Kept {
  Rounds rounds;
  benchmark::IterationCount iterations = 0;
};

void SetCounters(benchmark::State& state, const Work& work, const Rounds& rounds, double page_faults) {
  const double seconds = rounds.SubjectSeconds();
  const auto bytes = static_cast<double>(work.c.Bytes());
  state.counters["ns_per_row"] = 1e9 * seconds / static_cast<double>(work.c.rows);
  state.counters["ns_per_element"] = 1e9 * seconds / static_cast<double>(work.c.Elements());
  state.counters["core_clock_hz"] = rounds.ClockHz();
  state.counters["page_faults_per_pass"] = page_faults;
  state.counters["rounds"] = static_cast<double>(rounds.subject.size());
  if (work.baselines.empty()) return;  // not a matter of memory
  state.counters["bytes_per_second"] = bytes / seconds;
  state.counters["cycles_per_64B"] = 64.0 * seconds * rounds.ClockHz() / bytes;
  for (std::size_t b = 0; b < work.baselines.size(); ++b) {
    state.counters[work.baselines[b].counter] = rounds.Ratio(b);
    if (std::strcmp(work.baselines[b].counter, kFillRatio) == 0) {
      state.counters["fill_bytes_per_second"] = bytes / rounds.BaselineSeconds(b);
    }
  }
}

// Google Benchmark's timer runs during the passes of the subject alone, and so does the whole benchmark with
// Options::alone. Says in `state` what went wrong.
void Measure(benchmark::State& state, const Work& work, const Options& options, Kept& kept) {
  if (state.max_iterations <= kept.iterations) kept.rounds = {};
  kept.iterations = state.max_iterations;
  const std::vector<Baseline> none;
  Alternation alternation(work.run, options.alone ? none : work.baselines, *work.memory, options.effort, kept.rounds);

  const auto passes = static_cast<benchmark::IterationCount>(alternation.passes());
  while (state.KeepRunningBatch(passes)) {
    alternation.RunSubject();
    if (options.alone) continue;
    state.PauseTiming();
    alternation.RunBaselines();
    state.ResumeTiming();
  }
  if (options.alone) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(work.c.Bytes()));
    return;
  }
  while (kept.rounds.subject.size() < options.effort.rounds) {
    alternation.RunSubject();
    alternation.RunBaselines();
  }
  SetCounters(state, work, kept.rounds, static_cast<double>(alternation.page_faults()) / static_cast<double>(passes));
  if (work.c.flat) state.counters["flat"] = 1.0;
}

// The largest error of pass 0, in ulps; it is among the counters afterwards.
double CheckedUlps(benchmark::State& state, const Work& work) {
  work.Restart();
  work.run(1);
  const Deviation deviation = LargestDeviation(work.c, *work.inputs, work.out);
  state.counters["max_error"] = deviation.absolute;
  state.counters["max_ulps"] = deviation.ulps;
  return deviation.ulps;
}

void RunPosenc(benchmark::State& state, const Case& c, const Options& options, Kept& kept, std::int64_t target) {
  const ScopedTarget scoped_target(target);
  if (std::strcmp(posenc::ActiveTarget(), hwy::TargetName(target)) != 0) {
    return state.SkipWithError("posenc runs another target than the one asked for");
  }
  const Work work = PosencWork(c);
  if (!work.error.empty()) return state.SkipWithError(work.error.c_str());
  Measure(state, work, options, kept);
  if (options.alone) return;
  if (CheckedUlps(state, work) > PromisedUlps(c)) state.SkipWithError("posenc wrote wrong values");
}

void RunPeer(benchmark::State& state, const Case& c, const Options& options, Kept& kept, const Peer& peer) {
  // 0, of a loop that is not Highway's, is any target.
  const ScopedTarget scoped_target(peer.highway_target);
  if (peer.highway_target != 0 && std::strcmp(HighwayActiveTarget(), peer.target) != 0) {
    return state.SkipWithError("Highway runs another target than the one asked for");
  }
  const Work work = PeerWork(c, peer);
  if (!work.error.empty()) return state.SkipWithError(work.error.c_str());
  Measure(state, work, options, kept);
  if (options.alone) return;
  CheckedUlps(state, work);
  if (state.counters["max_error"] > LoopErrorBound(c, *work.inputs, peer.double_angles)) {
    state.SkipWithError("the loop wrote something else than waves");
  }
}

void RunFill(benchmark::State& state, const Case& c, const Options& options, Kept& kept) {
  const Work work = FillWork(c);
  if (!work.error.empty()) return state.SkipWithError(work.error.c_str());
  Measure(state, work, options, kept);
}

void RunMake(benchmark::State& state, const posenc::Spec& spec) {
  for ([[maybe_unused]] auto _ : state) {
    const posenc::Result<Encoder> made = Encoder::Make(spec);
    if (!made) return state.SkipWithError(posenc::Message(made.error));
    const auto* pointer = &made.value;
    benchmark::DoNotOptimize(pointer);
    benchmark::ClobberMemory();
  }
}

// The label says to which section a run belongs; the table has a heading for each.
void Register(const std::string& name, const char* label, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    run(state);
    state.SetLabel(label);
  })->Unit(benchmark::kMicrosecond);
}

void RegisterPosenc(const Section& section, const Options& options) {
  bool best = true;  // Highway lists targets from the best to the worst.
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    for (Case c : section.posenc) {
      const bool shown = best ? c.in_table : c.in_table_for_all_targets;
      c.flat = c.flat && best;
      if (options.table_only && !shown) continue;
      Register(Name(c) + "/" + hwy::TargetName(target), section.label,
               [=, kept = Kept()](benchmark::State& state) mutable { RunPosenc(state, c, options, kept, target); });
    }
    best = false;
  }
}

void RegisterPeers(const Section& section, const std::vector<Peer>& peers, const Options& options) {
  const std::string widest = peers.back().target;
  for (const Case& c : section.peers) {
    for (const Peer& peer : peers) {
      const std::string target = peer.target;
      const bool best = target == "libm" || target == widest || target == posenc::ActiveTarget();
      const bool shown = c.in_table && best && (peer.double_angles || !NeedDoubleAngles(c.positions));
      if (options.table_only && !shown) continue;
      Register(std::string(peer.name) + "/" + WorkName(c) + "/" + target, section.label,
               [=, kept = Kept()](benchmark::State& state) mutable { RunPeer(state, c, options, kept, peer); });
    }
  }
}

}  // namespace

void RegisterCases(const Options& options) {
  for (const Case& c : FillCases()) {
    Register("Fill/" + c.size, "memory",
             [=, kept = Kept()](benchmark::State& state) mutable { RunFill(state, c, options, kept); });
  }
  const std::vector<Peer> peers = PeersOfThisCpu();
  for (const Section& section : Sections()) {
    RegisterPosenc(section, options);
    RegisterPeers(section, peers, options);
  }
  for (const MakeCase& make : kMakeCases) {
    if (options.table_only && !make.in_table) continue;
    posenc::Spec spec;
    spec.dim = make.dim;
    Register("Make/d" + std::to_string(make.dim), "set-up", [spec](benchmark::State& state) { RunMake(state, spec); });
  }
}

}  // namespace posenc_bench
