// Bench, program posenc_demo: the path of a .npy table (and of its picture, to name it) goes in; a short report of its
// errors against MPFR and of the speed of posenc here comes out. Exit code 1 if an element is wrong.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bench/alternation.h"
#include "bench/npy_table.h"
#include "bench/reference.h"
#include "posenc/posenc.h"

namespace posenc_bench {
namespace {

using posenc::Encoder;
using posenc::Rows;
using posenc::Spec;

constexpr std::size_t kSamples = 20000;
constexpr std::size_t kMiB = std::size_t{1} << 20;

struct Accuracy {
  std::size_t not_nearest = 0;  // elements that are not the float nearest to the exact value
  Deviation largest;
};

// One element of a table and its exact value.
struct Sample {
  std::size_t index;  // row * dim + column
  Number exact;
};

// kSamples elements of rows of the paper's formula, interleaved, base 10000: sin and cos of row * 10000^(-2k/dim). The
// first and the last row are among them, the others are random.
std::vector<Sample> TakeSamples(const Spec& spec, std::size_t rows) {
  const std::size_t dim = spec.dim;
  ExactWaves waves(spec);
  Number position;
  std::mt19937_64 random(3);
  std::vector<Sample> samples(kSamples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t edge_row = i < dim ? 0 : rows - 1;
    const std::size_t row = i < 2 * dim ? edge_row : random() % rows;
    const std::size_t column = i < 2 * dim ? i % dim : random() % dim;
    samples[i].index = row * dim + column;
    position.Set(static_cast<std::int64_t>(row));
    waves.At(position, WaveAt(spec, column), samples[i].exact);
  }
  return samples;
}

void PrintAccuracy(const char* name, const std::vector<Sample>& samples, const std::vector<float>& table,
                   std::size_t* not_nearest) {
  Accuracy accuracy;
  for (const Sample& sample : samples) {
    const Deviation deviation = Compare(static_cast<double>(table[sample.index]), sample.exact, kF32);
    accuracy.largest = Largest(accuracy.largest, deviation);
    accuracy.not_nearest += deviation.ulps > Deviation::kNearestUlps ? 1 : 0;
  }
  const double ulps = accuracy.largest.ulps;
  const char* format = ulps < 1000.0 ? "  %-24s %13.2e %15.3f %20zu\n" : "  %-24s %13.2e %15.1e %20zu\n";
  std::printf(format, name, accuracy.largest.absolute, ulps, accuracy.not_nearest);
  if (not_nearest != nullptr) *not_nearest = accuracy.not_nearest;
}

// Whether a table made here in uneven pieces has the bits of `values`.
bool SameBitsInPieces(const Encoder& encoder, const std::vector<float>& values, std::size_t rows, std::size_t dim) {
  std::vector<float> again(values.size());
  std::size_t piece = 1;
  for (std::size_t row = 0; row < rows; row += piece, piece = piece * 2 % 509) {
    const Rows<float> out = {.data = again.data() + row * dim, .count = std::min(piece, rows - row)};
    if (encoder.EncodeRange(static_cast<std::int64_t>(row), out) != posenc::Error::kNone) return false;
  }
  return std::memcmp(again.data(), values.data(), values.size() * sizeof(float)) == 0;
}

void PrintSpeed(const Encoder& encoder, std::size_t bytes) {
  TableMemory memory(bytes, PageState::kWarm);
  if (memory.data() == nullptr) {
    std::printf("  %4zu MiB: not enough free memory\n", bytes / kMiB);
    return;
  }
  const Rows<float> out = {static_cast<float*>(memory.data()), bytes / (encoder.spec().dim * sizeof(float))};
  const Repeat subject = Repeated([&] {
    if (encoder.EncodeRange(0, out) != posenc::Error::kNone) std::abort();
    Observe(out.data);
  });
  const Inputs inputs = {.starts = {0}};
  const std::vector<Baseline> baselines = {Fill(memory.data(), bytes),
                                           Libm(encoder.spec(), out.count, inputs, LibmNested)};
  Effort effort;
  effort.rounds *= 4;
  Rounds rounds;
  Alternation alternation(subject, baselines, memory, effort, rounds);
  while (rounds.subject.size() < effort.rounds) {
    alternation.RunSubject();
    alternation.RunBaselines();
  }
  const double gigabytes = 1e-9 * static_cast<double>(out.count * encoder.spec().dim * sizeof(float));
  std::printf("  %4zu MiB %13.1f GB/s %9.1f GB/s %11.2f %18.0f x\n", bytes / kMiB, gigabytes / rounds.SubjectSeconds(),
              gigabytes / rounds.BaselineSeconds(0), rounds.Ratio(0), rounds.Ratio(1));
}

int Main(int argc, char** argv) {
  NpyTable table;
  table.rows = 4096;
  table.dim = 512;
  if (argc > 1) table = ReadNpyTable(argv[1]);
  if (table.error.empty() && table.dim % 2 != 0) table.error = "the demo takes tables of an even dim";
  if (!table.error.empty()) return std::fprintf(stderr, "posenc_demo: %s\n", table.error.c_str()), 1;

  Spec spec;
  spec.dim = table.dim;
  const posenc::Result<Encoder> made = Encoder::Make(spec);
  if (!made) return std::fprintf(stderr, "posenc_demo: %s\n", posenc::Message(made.error)), 1;
  if (argc <= 1) {
    table.values.resize(table.rows * table.dim);
    const Rows<float> out = {.data = table.values.data(), .count = table.rows};
    if (made.value.EncodeRange(0, out) != posenc::Error::kNone) std::abort();
  }

  std::printf("posenc: sin and cos of p * 10000^(-2k/%zu) for %zu positions, float, SIMD target %s\n", table.dim,
              table.rows, posenc::ActiveTarget());
  if (argc > 1) std::printf("  table    %s\n", argv[1]);
  if (argc > 2) std::printf("  picture  %s\n", argv[2]);

  std::printf("\n  %-24s %13s %15s %20s\n", "against MPFR", "largest error", "in ulps", "not nearest float");
  const std::vector<Sample> samples = TakeSamples(spec, table.rows);
  std::size_t not_nearest = 0;
  PrintAccuracy("posenc", samples, table.values, &not_nearest);
  std::vector<float> loop(table.values.size());
  const Frequencies frequencies(spec);
  LoopJob job = JobFor(spec, frequencies, loop.data());
  job.rows = table.rows;
  LibmNested(job);
  PrintAccuracy("powf, sinf, cosf loop", samples, loop, nullptr);
  const bool same_bits = SameBitsInPieces(made.value, table.values, table.rows, table.dim);
  std::printf("  of %zu elements; made again in uneven pieces: %s\n", kSamples,
              same_bits ? "the same bits" : "OTHER BITS");

  std::printf("\n  %-8s %18s %14s %11s %20s\n", "one core", "posenc", "memory fill", "of the fill",
              "faster than the loop");
  PrintSpeed(made.value, 8 * kMiB);
  PrintSpeed(made.value, 256 * kMiB);

  if (not_nearest != 0) std::printf("\n  WRONG: %zu elements are not the exact value rounded once\n", not_nearest);
  if (!same_bits) std::printf("\n  WRONG: the table depends on how it is split\n");
  return not_nearest == 0 && same_bits ? 0 : 1;
}

}  // namespace
}  // namespace posenc_bench

int main(int argc, char** argv) { return posenc_bench::Main(argc, argv); }
