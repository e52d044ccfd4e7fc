// Bench, program posenc_demo: the path of a .npy table (and of its picture, to name it) goes in; a short report of its
// errors against MPFR and of the speed of posenc here comes out. Exit code 1 if an element is wrong.

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bench/alternation.h"
#include "bench/npy_table.h"
#include "posenc/posenc.h"

namespace posenc_bench {
namespace {

using posenc::Encoder;
using posenc::Spec;

constexpr std::size_t kSamples = 20000;
constexpr std::size_t kMiB = std::size_t{1} << 20;

// 200 bits leave more than 120 good fraction bits of a turn after the reduction of an angle up to 2^63.
struct Number {
  mpfr_t value;
  Number() { mpfr_init2(value, 200); }
  ~Number() { mpfr_clear(value); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
};

struct Accuracy {
  std::size_t not_nearest = 0;  // elements that are not the float nearest to the exact value
  double largest_error = 0.0;
  double largest_ulps = 0.0;  // an ulp is the distance of floats in the binade of the exact value
};

// One element of a table and its exact value.
struct Sample {
  std::size_t index;  // row * dim + column
  float nearest;
  double ulp;
  Number exact;

  void Compare(float got, Accuracy& accuracy) const {
    Number difference;
    mpfr_sub_d(difference.value, exact.value, static_cast<double>(got), MPFR_RNDN);
    const double error = std::abs(mpfr_get_d(difference.value, MPFR_RNDN));
    accuracy.largest_error = std::max(accuracy.largest_error, error);
    accuracy.largest_ulps = std::max(accuracy.largest_ulps, error / ulp);
    accuracy.not_nearest += std::memcmp(&nearest, &got, sizeof(got)) != 0;
  }
};

// kSamples elements of rows of the paper's formula, interleaved, base 10000: sin and cos of row * 10000^(-2k/dim). The
// first and the last row are among them, the others are random.
std::vector<Sample> TakeSamples(std::size_t rows, std::size_t dim) {
  std::vector<Number> divisors(dim / 2);
  for (std::size_t k = 0; k < divisors.size(); ++k) {
    Number exponent;
    mpfr_set_ui(exponent.value, 2 * k, MPFR_RNDN);
    mpfr_div_ui(exponent.value, exponent.value, dim, MPFR_RNDN);
    mpfr_ui_pow(divisors[k].value, 10000, exponent.value, MPFR_RNDN);
  }
  std::mt19937_64 random(3);
  std::vector<Sample> samples(kSamples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t edge_row = i < dim ? 0 : rows - 1;
    const std::size_t row = i < 2 * dim ? edge_row : random() % rows;
    const std::size_t column = i < 2 * dim ? i % dim : random() % dim;
    Sample& sample = samples[i];
    sample.index = row * dim + column;
    mpfr_ui_div(sample.exact.value, row, divisors[column / 2].value, MPFR_RNDN);
    (column % 2 == 0 ? mpfr_sin : mpfr_cos)(sample.exact.value, sample.exact.value, MPFR_RNDN);
    sample.nearest = mpfr_get_flt(sample.exact.value, MPFR_RNDN);
    const bool zero = mpfr_zero_p(sample.exact.value) != 0;
    sample.ulp = zero ? 0x1p-149 : std::ldexp(1.0, static_cast<int>(mpfr_get_exp(sample.exact.value)) - 24);
  }
  return samples;
}

void PrintAccuracy(const char* name, const std::vector<Sample>& samples, const std::vector<float>& table,
                   std::size_t* not_nearest) {
  Accuracy accuracy;
  for (const Sample& sample : samples) sample.Compare(table[sample.index], accuracy);
  const char* format =
      accuracy.largest_ulps < 1000.0 ? "  %-24s %13.2e %15.3f %20zu\n" : "  %-24s %13.2e %15.1e %20zu\n";
  std::printf(format, name, accuracy.largest_error, accuracy.largest_ulps, accuracy.not_nearest);
  if (not_nearest != nullptr) *not_nearest = accuracy.not_nearest;
}

// Whether a table made here in uneven pieces has the bits of `values`.
bool SameBitsInPieces(const Encoder& encoder, const std::vector<float>& values, std::size_t rows, std::size_t dim) {
  std::vector<float> again(values.size());
  std::size_t piece = 1;
  for (std::size_t row = 0; row < rows; row += piece, piece = piece * 2 % 509) {
    const posenc::Rows<float> out = {.data = again.data() + row * dim, .count = std::min(piece, rows - row)};
    if (encoder.EncodeRange(static_cast<std::int64_t>(row), out) != posenc::Error::kNone) return false;
  }
  return std::memcmp(again.data(), values.data(), values.size() * sizeof(float)) == 0;
}

void PrintSpeed(const Encoder& encoder, std::size_t bytes) {
  Table table;
  table.spec = encoder.spec();
  table.rows = bytes / (table.spec.dim * sizeof(float));
  TableMemory memory(bytes, PageState::kWarm);
  if (memory.data() == nullptr) {
    std::printf("  %4zu MiB: not enough free memory\n", bytes / kMiB);
    return;
  }
  const auto writer = [&](std::int64_t start) {
    const posenc::Rows<float> out = {.data = memory.data(), .count = table.rows};
    if (encoder.EncodeRange(start, out) != posenc::Error::kNone) std::abort();
  };
  Rounds rounds;
  Alternation alternation(table, memory, writer, rounds, LibmNested);
  while (rounds.subject.size() < 4 * kMinRounds) {
    alternation.RunSubject();
    alternation.RunBaselines();
  }
  const double gigabytes = 1e-9 * static_cast<double>(table.Bytes());
  std::printf("  %4zu MiB %13.1f GB/s %9.1f GB/s %11.2f %18.0f x\n", bytes / kMiB, gigabytes / rounds.SubjectSeconds(),
              gigabytes / rounds.FillSeconds(), rounds.FillRatio(), rounds.LibmRatio());
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
    const posenc::Rows<float> out = {.data = table.values.data(), .count = table.rows};
    if (made.value.EncodeRange(0, out) != posenc::Error::kNone) std::abort();
  }

  std::printf("posenc: sin and cos of p * 10000^(-2k/%zu) for %zu positions, float, SIMD target %s\n", table.dim,
              table.rows, posenc::ActiveTarget());
  if (argc > 1) std::printf("  table    %s\n", argv[1]);
  if (argc > 2) std::printf("  picture  %s\n", argv[2]);

  std::printf("\n  %-24s %13s %15s %20s\n", "against MPFR", "largest error", "in ulps", "not nearest float");
  const std::vector<Sample> samples = TakeSamples(table.rows, table.dim);
  std::size_t not_nearest = 0;
  PrintAccuracy("posenc", samples, table.values, &not_nearest);
  std::vector<float> loop(table.values.size());
  const Frequencies frequencies(spec);
  LibmNested(JobFor(spec, frequencies, 0, table.rows, loop.data()));
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
