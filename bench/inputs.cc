// Bench, inputs: a Case goes in, the positions of its rows and the elements that it reads come out.

#include "bench/inputs.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace posenc_bench {
namespace {

// Tokens of sequences one after the other, each from position 0 on.
std::vector<std::int64_t> PackedSequences(std::size_t rows, std::mt19937_64& random) {
  std::vector<std::int64_t> positions(rows);
  std::int64_t left = 0;
  std::int64_t next = 0;
  for (std::int64_t& position : positions) {
    if (left == 0) {
      left = static_cast<std::int64_t>(1 + random() % 512);
      next = 0;
    }
    position = next++;
    --left;
  }
  return positions;
}

std::vector<std::int64_t> RandomIntegers(std::size_t count, int bits, std::mt19937_64& random) {
  std::vector<std::int64_t> integers(count);
  for (std::int64_t& integer : integers) integer = static_cast<std::int64_t>(random() >> (64 - bits));
  return integers;
}

std::vector<std::int64_t> Consecutive(std::int64_t start, std::size_t count) {
  std::vector<std::int64_t> integers(count);
  for (std::int64_t& integer : integers) integer = start++;
  return integers;
}

}  // namespace

Inputs InputsOf(const Case& c) {
  std::mt19937_64 random(2);
  Inputs inputs;
  const bool list = c.op == Op::kEncode || c.op == Op::kRotate || c.op == Op::kSimilarity;
  switch (c.positions) {
    case Positions::kConsecutive:
      if (list) {
        inputs.integers = Consecutive(c.start, c.rows);
      } else {
        inputs.starts = {c.start};
      }
      break;
    case Positions::kRandomStarts:
      inputs.starts = RandomIntegers(1024, 17, random);
      break;
    case Positions::kRandom4096:
      inputs.integers = RandomIntegers(c.rows, 12, random);
      break;
    case Positions::kRandom2p17:
      inputs.integers = RandomIntegers(c.rows, 17, random);
      break;
    case Positions::kRandom2p60:
      inputs.integers = RandomIntegers(c.rows, 60, random);
      break;
    case Positions::kFractional:
      inputs.reals.resize(c.rows);
      for (double& real : inputs.reals) real = static_cast<double>(random() >> 11) * 0x1p-41;
      break;
    case Positions::kPacked:
      inputs.integers = PackedSequences(c.rows, random);
      break;
  }
  for (const std::int64_t integer : inputs.integers) inputs.reals.push_back(static_cast<double>(integer));
  return inputs;
}

void SetPositions(const Inputs& inputs, std::size_t pass, std::size_t row, LoopJob& job) {
  if (inputs.IsList()) {
    job.positions = inputs.reals.data() + row;
  } else {
    job.start = inputs.Start(pass) + static_cast<std::int64_t>(row);
  }
}

void FillX(const Format& format, void* x, std::size_t bytes) {
  std::mt19937_64 random(4);
  const int fraction_bits = format.precision - 1;
  unsigned char period[kXPeriodBytes];
  const std::size_t element_bytes = format.Bytes();
  for (std::size_t at = 0; at < kXPeriodBytes; at += element_bytes) {
    const std::uint64_t exponent = static_cast<std::uint64_t>(format.Bias() - 2) + random() % 3;
    const std::uint64_t fraction = random() & ((std::uint64_t{1} << fraction_bits) - 1);
    const std::uint64_t sign = random() & 1;
    const std::uint64_t bits = (sign << (format.bits - 1)) | (exponent << fraction_bits) | fraction;
    for (std::size_t byte = 0; byte < element_bytes; ++byte) {
      period[at + byte] = static_cast<unsigned char>(bits >> (8 * byte));  // all that Highway runs on are little-endian
    }
  }
  auto* out = static_cast<unsigned char*>(x);
  for (std::size_t at = 0; at < bytes; at += kXPeriodBytes) {
    std::memcpy(out + at, period, std::min(kXPeriodBytes, bytes - at));
  }
}

}  // namespace posenc_bench
