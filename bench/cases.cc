// Bench, cases: options go in, the benchmarks of posenc_bench are registered.

#include "bench/cases.h"

#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "bench/alternation.h"

namespace posenc_bench {
namespace {

using posenc::Encoder;
using posenc::Layout;
using posenc::Spec;

constexpr std::size_t kKiB = std::size_t{1} << 10;
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;

// The dims that models use; 770 leaves a ragged vector at the end of a row on every target.
constexpr std::size_t kDims[] = {64, 128, 512, 770, 768, 4096};
// In the first level-2 cache of most CPUs, about its size, in the last level, in memory.
constexpr std::size_t kSizes[] = {256 * kKiB, kMiB, 8 * kMiB, 256 * kMiB};

// Every library call goes to `target` as long as this lives. The mask in Highway is one for the whole process.
class ScopedTarget {
 public:
  explicit ScopedTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;
};

// One benchmark: its name up to the target, what it writes, and whether the short table shows it.
struct Case {
  std::string name;
  Table table;
  PageState pages = PageState::kWarm;
  bool in_table = false;
};

// The rounds of one benchmark over the calls in which Google Benchmark looks for a number of iterations. A call with no
// more iterations than the last one begins a new repetition.
struct Kept {
  Rounds rounds;
  benchmark::IterationCount iterations = 0;
};

std::string SizeName(std::size_t bytes) {
  if (bytes >= kGiB) return std::to_string(bytes / kGiB) + "GiB";
  return bytes >= kMiB ? std::to_string(bytes / kMiB) + "MiB" : std::to_string(bytes / kKiB) + "KiB";
}

// Warm memory, the same for all benchmarks: touching 256 MiB takes longer than measuring them. More than that is given
// back by the next smaller table. Null when the machine has not got it to spare.
TableMemory* WarmMemory(std::size_t bytes) {
  constexpr std::size_t kKeptBytes = 256 * kMiB;
  static std::unique_ptr<TableMemory> memory;
  const bool fits = memory != nullptr && memory->bytes() >= bytes;
  if (fits && (memory->bytes() <= kKeptBytes || bytes > kKeptBytes)) return memory.get();
  memory.reset();
  if (bytes > kKeptBytes && FreeMemoryBytes() < bytes + kGiB) return nullptr;
  memory = std::make_unique<TableMemory>(std::max(bytes, kKeptBytes), PageState::kWarm);
  return memory->data() == nullptr ? nullptr : memory.get();
}

// Where the waves of frequency k are in a row of this even dim.
std::pair<std::size_t, std::size_t> Places(const Spec& spec, std::size_t k) {
  if (spec.layout == Layout::kSplit) return {k, spec.dim / 2 + k};
  return {2 * k, 2 * k + 1};
}

// The largest absolute error over a sample of the table in memory, or nothing beyond 2^32, where the angle of the
// reference, a long double, is no longer good enough.
std::optional<double> LargestError(const Table& table, std::int64_t start, const float* rows) {
  constexpr std::size_t kSamples = 4096;
  if (std::abs(static_cast<double>(start)) > 0x1p32) return std::nullopt;
  const Frequencies frequencies(table.spec);
  std::mt19937_64 random(1);
  double largest = 0.0;
  const auto compare = [&largest](float got, long double exact) {
    const auto error = static_cast<double>(std::abs(static_cast<long double>(got) - exact));
    largest = std::max(largest, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  };
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::size_t row = random() % table.rows;
    const std::size_t k = random() % (table.spec.dim / 2);
    const long double angle = static_cast<long double>(start + static_cast<std::int64_t>(row)) * frequencies.radians[k];
    const auto [sin_place, cos_place] = Places(table.spec, k);
    const float* out = rows + row * table.spec.dim;
    compare(out[sin_place], std::sin(angle));
    compare(out[cos_place], std::cos(angle));
  }
  return largest;
}

void SetCounters(benchmark::State& state, const Table& table, const Rounds& rounds, double page_faults) {
  const double seconds = rounds.SubjectSeconds();
  const auto bytes = static_cast<double>(table.Bytes());
  state.counters["bytes_per_second"] = bytes / seconds;
  state.counters["fill_bytes_per_second"] = bytes / rounds.FillSeconds();
  state.counters["fill_ratio"] = rounds.FillRatio();
  state.counters["libm_ratio"] = rounds.LibmRatio();
  state.counters["ns_per_row"] = 1e9 * seconds / static_cast<double>(table.rows);
  state.counters["cycles_per_64B"] = 64.0 * seconds * rounds.ClockHz() / bytes;
  state.counters["core_clock_hz"] = rounds.ClockHz();
  state.counters["page_faults_per_pass"] = page_faults;
  state.counters["rounds"] = static_cast<double>(rounds.subject.size());
}

// Measures writer(start, out). Google Benchmark's timer runs during the passes of the subject alone, and so does the
// whole benchmark with Options::alone.
template <class Writer>
void RunTable(benchmark::State& state, const Case& c, const Options& options, Kept& kept, const Writer& writer) {
  std::optional<TableMemory> fresh;
  if (c.pages == PageState::kFresh) fresh.emplace(c.table.Bytes(), PageState::kFresh);
  TableMemory* memory = fresh ? &*fresh : WarmMemory(c.table.Bytes());
  if (memory == nullptr || memory->data() == nullptr) return state.SkipWithError("not enough free memory");
  float* out = memory->data();

  if (state.max_iterations <= kept.iterations) kept.rounds = {};
  kept.iterations = state.max_iterations;
  Alternation alternation(
      c.table, *memory, [&](std::int64_t start) { writer(start, out); }, kept.rounds);

  const auto passes = static_cast<benchmark::IterationCount>(alternation.passes());
  while (state.KeepRunningBatch(passes)) {
    alternation.RunSubject();
    benchmark::DoNotOptimize(out);
    benchmark::ClobberMemory();
    if (options.alone) continue;
    state.PauseTiming();
    alternation.RunBaselines();
    state.ResumeTiming();
  }
  if (options.alone) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(c.table.Bytes()));
    return;
  }
  while (kept.rounds.subject.size() < kMinRounds) {
    alternation.RunSubject();
    alternation.RunBaselines();
  }
  SetCounters(state, c.table, kept.rounds,
              static_cast<double>(alternation.page_faults()) / static_cast<double>(passes));
}

// No figure without its error: a fast loop that writes something else is not a peer, and not posenc. Returns the
// largest error and adds it to the counters.
template <class Writer>
double ReportError(benchmark::State& state, const Table& table, const Writer& writer) {
  TableMemory* memory = WarmMemory(table.Bytes());
  if (memory == nullptr) return 0.0;
  std::memset(memory->data(), 0x3f, table.Bytes());  // nothing of an earlier pass counts
  writer(table.starts[0], memory->data());
  const std::optional<double> error = LargestError(table, table.starts[0], memory->data());
  if (error) state.counters["max_error"] = *error;
  return error.value_or(0.0);
}

void RunEncodeRange(benchmark::State& state, const Case& c, const Options& options, Kept& kept, std::int64_t target) {
  const ScopedTarget scoped_target(target);
  if (std::strcmp(posenc::ActiveTarget(), hwy::TargetName(target)) != 0) {
    return state.SkipWithError("posenc runs another target than the one asked for");
  }
  const posenc::Result<Encoder> made = Encoder::Make(c.table.spec);
  if (!made) return state.SkipWithError(posenc::Message(made.error));
  const auto writer = [&](std::int64_t start, float* out) {
    const posenc::Rows<float> rows = {.data = out, .count = c.table.rows};
    if (made.value.EncodeRange(start, rows) != posenc::Error::kNone) std::abort();
  };
  RunTable(state, c, options, kept, writer);
  // Half a unit in the last place below 1 is 2^-25; twice that leaves room for the reference.
  if (ReportError(state, c.table, writer) > 0x1p-24) state.SkipWithError("posenc wrote wrong values");
}

void RunPeer(benchmark::State& state, const Case& c, const Options& options, Kept& kept, const Peer& peer) {
  std::optional<ScopedTarget> scoped_target;
  if (peer.highway_target != 0) {
    scoped_target.emplace(peer.highway_target);
    if (std::strcmp(HighwayActiveTarget(), peer.target) != 0) {
      return state.SkipWithError("Highway runs another target than the one asked for");
    }
  }
  const Frequencies frequencies(c.table.spec);
  const auto writer = [&](std::int64_t start, float* out) {
    peer.loop(JobFor(c.table.spec, frequencies, start, c.table.rows, out));
  };
  RunTable(state, c, options, kept, writer);
  ReportError(state, c.table, writer);
}

// The fill measured as if it were a subject: how far fill_ratio is from 1 is the noise of this machine.
void RunFill(benchmark::State& state, const Case& c, const Options& options, Kept& kept) {
  RunTable(state, c, options, kept, [&](std::int64_t, float* out) { std::memset(out, 0x3e, c.table.Bytes()); });
}

void RunMake(benchmark::State& state, const Spec& spec) {
  for ([[maybe_unused]] auto _ : state) {
    const posenc::Result<Encoder> made = Encoder::Make(spec);
    if (!made) return state.SkipWithError(posenc::Message(made.error));
    const auto* pointer = &made.value;
    benchmark::DoNotOptimize(pointer);
    benchmark::ClobberMemory();
  }
}

Case TableCase(std::size_t dim, std::size_t bytes, bool in_table, Layout layout = Layout::kInterleaved) {
  Case c;
  c.table.spec.dim = dim;
  c.table.spec.layout = layout;
  c.table.rows = bytes / (dim * sizeof(float));
  const char* layout_name = layout == Layout::kInterleaved ? "interleaved" : "split";
  c.name = std::string("f32/") + layout_name + "/d" + std::to_string(dim) + "/" + SizeName(bytes);
  c.in_table = in_table;
  return c;
}

Case WithVariant(Case c, const std::string& variant) {
  c.name += "/" + variant;
  return c;
}

// A few rows a call, at random positions: what a decoder asks for, token by token.
Case FewRows(std::size_t dim, std::size_t rows, bool in_table) {
  Case c = TableCase(dim, dim * rows * sizeof(float), in_table);
  c.name = "f32/interleaved/d" + std::to_string(dim) + "/" + std::to_string(rows) + (rows == 1 ? "row" : "rows");
  std::mt19937_64 random(2);
  c.table.starts.resize(1024);
  for (std::int64_t& start : c.table.starts) start = static_cast<std::int64_t>(random() % (1u << 17));
  return c;
}

// EncodeRange on one target. `best`: the target that calls run on by themselves; it has most of the rows of the table.
std::vector<Case> EncodeRangeCases(bool best) {
  std::vector<Case> cases;
  for (const std::size_t dim : kDims) {
    for (const std::size_t bytes : kSizes) {
      const bool large = bytes >= 8 * kMiB;
      cases.push_back(TableCase(dim, bytes, best ? dim == 512 || large : dim == 512 && large));
    }
  }
  for (const std::size_t dim : {80u, 96u, 130u, 16384u}) cases.push_back(TableCase(dim, 8 * kMiB, false));
  for (const std::size_t bytes : {8 * kMiB, 256 * kMiB}) cases.push_back(TableCase(512, bytes, best, Layout::kSplit));
  for (const std::size_t rows : {1u, 16u}) cases.push_back(FewRows(512, rows, best));

  // Does a row cost more far away?
  const std::pair<const char*, std::int64_t> kStarts[] = {{"start1e6", 1000000}, {"start2p60", std::int64_t{1} << 60}};
  for (const auto& [variant, start] : kStarts) {
    Case c = WithVariant(TableCase(512, 8 * kMiB, best), variant);
    c.table.starts = {start};
    cases.push_back(c);
  }

  // Specs with many tiny sines: those whose rounding is hard to decide.
  Case slow_base = WithVariant(TableCase(512, 512 * kKiB, best), "base1e12");
  slow_base.table.spec.base = 1e12;
  cases.push_back(slow_base);
  Case tiny = WithVariant(TableCase(512, 8 * kMiB, best), "inv_freq1e-20");
  tiny.table.spec.inv_freq.assign(256, 1e-20);
  cases.push_back(tiny);
  // The slowest that is known: every sine is subnormal, and goes to repair.
  Case subnormal = WithVariant(TableCase(512, 512 * kKiB, best), "inv_freq1e-42");
  subnormal.table.spec.inv_freq.assign(256, 1e-42);
  cases.push_back(subnormal);

  for (const std::size_t bytes : {8 * kMiB, 256 * kMiB}) {
    Case fresh = WithVariant(TableCase(512, bytes, best), "fresh");
    fresh.pages = PageState::kFresh;
    cases.push_back(fresh);
  }
  cases.push_back(TableCase(512, 4 * kGiB, false));
  return cases;
}

// `in_table`: whether the short table shows this peer.
std::vector<Case> PeerCases(bool in_table) {
  std::vector<Case> cases;
  for (const std::size_t bytes : {256 * kKiB, 8 * kMiB, 256 * kMiB}) {
    cases.push_back(TableCase(512, bytes, in_table && bytes == 8 * kMiB));
  }
  for (const std::size_t dim : {128u, 770u, 4096u}) cases.push_back(TableCase(dim, 8 * kMiB, false));
  cases.push_back(FewRows(512, 1, false));
  return cases;
}

// Registers run(state, case, options, kept) as op/case/target.
// The label says whose work it is; the table draws a line between labels.
template <class Run>
void Register(const std::string& op, const Case& c, const std::string& target, const char* label,
              const Options& options, const Run& run) {
  if (options.table_only && !c.in_table) return;
  std::string name = op + "/" + c.name;
  if (!target.empty()) name += "/" + target;
  benchmark::RegisterBenchmark(name.c_str(), [=, kept = Kept()](benchmark::State& state) mutable {
    run(state, c, options, kept);
    state.SetLabel(label);
  })->Unit(benchmark::kMicrosecond);
}

}  // namespace

void RegisterCases(const Options& options) {
  for (const std::size_t bytes : kSizes) {
    Case c = TableCase(512, bytes, true);
    c.name = SizeName(bytes);
    Register("Fill", c, "", "memory", options, RunFill);
  }

  bool best = true;  // Highway lists targets from the best to the worst.
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    for (const Case& c : EncodeRangeCases(best)) {
      Register("EncodeRange", c, hwy::TargetName(target), "posenc", options,
               [target](benchmark::State& state, const Case& run_case, const Options& run_options, Kept& kept) {
                 RunEncodeRange(state, run_case, run_options, kept, target);
               });
    }
    best = false;
  }

  const std::vector<Peer> peers = PeersOfThisCpu();
  const std::string widest = peers.back().target;
  for (const Peer& peer : peers) {
    const bool libm = std::strcmp(peer.target, "libm") == 0;
    const bool in_table = libm || peer.target == widest || peer.target == std::string(posenc::ActiveTarget());
    for (const Case& c : PeerCases(in_table)) {
      Register(peer.name, c, peer.target, "peer", options,
               [peer](benchmark::State& state, const Case& run_case, const Options& run_options, Kept& kept) {
                 RunPeer(state, run_case, run_options, kept, peer);
               });
    }
  }

  for (const std::size_t dim : {512u, 8192u, 16384u}) {
    Spec spec;
    spec.dim = dim;
    benchmark::RegisterBenchmark(("Make/d" + std::to_string(dim)).c_str(), [spec](benchmark::State& state) {
      RunMake(state, spec);
      state.SetLabel("set-up");
    })->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace posenc_bench
