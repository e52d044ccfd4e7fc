// Tests of batches as engines have them: sequences with a start and a length each go in, as [B, L, D], as [L, B, D] or
// packed end to end, and every row must be the one that its sequence has alone, bit for bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "posenc/posenc.h"
#include "posenc/presets.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class Batches : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(Batches);

struct Sequence {
  std::int64_t start;
  std::size_t length;
};

// Long and short, empty, of one row, and starts far apart: what a batch in the middle of decoding looks like.
const std::vector<Sequence>& Ragged() {
  static const std::vector<Sequence> sequences = {{0, 37},         {5, 1},         {131071, 300}, {0, 0},
                                                  {-20, 41},       {0, 1},         {1000000, 2},  {7, 129},
                                                  {1LL << 40, 19}, {2147483647, 3}};
  return sequences;
}

std::size_t Total() {
  std::size_t total = 0;
  for (const Sequence& sequence : Ragged()) total += sequence.length;
  return total;
}

// The rows of all sequences, each from a call of its own.
template <class T>
std::vector<T> PerSequence(const Encoder& encoder) {
  std::vector<T> rows;
  for (const Sequence& sequence : Ragged()) {
    const std::vector<T> alone = EncodeTable<T>(encoder, sequence.start, sequence.length);
    rows.insert(rows.end(), alone.begin(), alone.end());
  }
  return rows;
}

// position_ids of the packed sequences.
std::vector<std::int64_t> PackedPositions() {
  std::vector<std::int64_t> positions;
  for (const Sequence& sequence : Ragged()) {
    for (std::size_t r = 0; r < sequence.length; ++r) {
      positions.push_back(sequence.start + static_cast<std::int64_t>(r));
    }
  }
  return positions;
}

std::vector<Spec> BatchSpecs() {
  return {SpecOf(6), SpecOf(128), presets::KerasHub(33).spec, presets::Whisper(80).spec};
}

TEST_P(Batches, PackedIsPerSequence) {
  const std::vector<std::int64_t> positions = PackedPositions();
  ForEveryType([&]<class T>() {
    for (const Spec& spec : BatchSpecs()) {
      const Encoder encoder = MakeOrFail(spec);
      GuardedRows<T> packed(spec.dim, Total());
      ASSERT_EQ(encoder.Encode(std::span<const std::int64_t>(positions), packed.rows()), Error::kNone);
      EXPECT_TRUE(SameRows(packed.Packed(), PerSequence<T>(encoder), spec.dim)) << Describe(spec);
      EXPECT_TRUE(packed.GuardsAreIntact());
    }
  });
}

TEST_P(Batches, PackedAddIsPerSequence) {
  const std::vector<std::int64_t> positions = PackedPositions();
  ForEveryType([&]<class T>() {
    for (const Spec& spec : BatchSpecs()) {
      const Encoder encoder = MakeOrFail(spec);
      const std::vector<T> x = EncodeTable<T>(encoder, 3, Total(), 5);  // any numbers of the size of embeddings
      std::vector<T> packed = x, alone = x;
      ASSERT_EQ(encoder.EncodeAdd(std::span<const std::int64_t>(positions), 8.0, Rows<const T>{packed.data(), Total()},
                                  Rows<T>{packed.data(), Total()}),
                Error::kNone);
      T* at = alone.data();
      for (const Sequence& sequence : Ragged()) {
        ASSERT_EQ(encoder.EncodeAddRange(sequence.start, 8.0, Rows<const T>{at, sequence.length},
                                         Rows<T>{at, sequence.length}),
                  Error::kNone);
        at += sequence.length * spec.dim;
      }
      EXPECT_TRUE(SameRows(packed, alone, spec.dim)) << Describe(spec);
    }
  });
}

// [B, L, D] with L the longest sequence: the rows after a shorter one stay as they are.
TEST_P(Batches, PaddedRowsStayAsTheyAre) {
  constexpr std::size_t kLongest = 300;
  for (const Spec& spec : BatchSpecs()) {
    const Encoder encoder = MakeOrFail(spec);
    const float padding = -7.0f;
    std::vector<float> batch(Ragged().size() * kLongest * spec.dim, padding);
    std::vector<float> want = batch;
    for (std::size_t b = 0; b < Ragged().size(); ++b) {
      const Sequence& sequence = Ragged()[b];
      const std::size_t first = b * kLongest * spec.dim;
      ASSERT_EQ(encoder.EncodeRange(sequence.start, Rows<float>{batch.data() + first, sequence.length}), Error::kNone);
      const std::vector<float> alone = EncodeTable<float>(encoder, sequence.start, sequence.length);
      std::copy(alone.begin(), alone.end(), want.begin() + static_cast<std::ptrdiff_t>(first));
    }
    EXPECT_TRUE(SameRows(batch, want, spec.dim)) << Describe(spec);
  }
}

// [L, B, D]: the rows of one sequence are B * D apart.
TEST_P(Batches, TimeMajorIsAStride) {
  constexpr std::size_t kLength = 21, kBatch = 5;
  for (const Spec& spec : BatchSpecs()) {
    const Encoder encoder = MakeOrFail(spec);
    std::vector<float> batch(kLength * kBatch * spec.dim);
    for (std::size_t b = 0; b < kBatch; ++b) {
      const Rows<float> rows{batch.data() + b * spec.dim, kLength, kBatch * spec.dim};
      ASSERT_EQ(encoder.EncodeRange(static_cast<std::int64_t>(1000 * b), rows), Error::kNone);
    }
    for (std::size_t b = 0; b < kBatch; ++b) {
      std::vector<float> sequence;
      for (std::size_t l = 0; l < kLength; ++l) {
        const auto row = batch.begin() + static_cast<std::ptrdiff_t>((l * kBatch + b) * spec.dim);
        sequence.insert(sequence.end(), row, row + static_cast<std::ptrdiff_t>(spec.dim));
      }
      EXPECT_TRUE(
          SameRows(sequence, EncodeTable<float>(encoder, static_cast<std::int64_t>(1000 * b), kLength), spec.dim));
    }
  }
}

// One decoding step of a batch: a row for each sequence, at its own position.
TEST_P(Batches, ADecodingStepIsAList) {
  std::vector<std::int32_t> positions;
  for (std::int32_t b = 0; b < 50; ++b) positions.push_back(b * b * 97 % 4096);
  for (const Spec& spec : BatchSpecs()) {
    const Encoder encoder = MakeOrFail(spec);
    std::vector<float> step(50 * spec.dim);
    ASSERT_EQ(encoder.Encode(std::span<const std::int32_t>(positions), Rows<float>{step.data(), 50}), Error::kNone);
    std::vector<float> want;
    for (const std::int32_t position : positions) {
      const std::vector<float> row = EncodeTable<float>(encoder, position, 1);
      want.insert(want.end(), row.begin(), row.end());
    }
    EXPECT_TRUE(SameRows(step, want, spec.dim)) << Describe(spec);
  }
}

}  // namespace
}  // namespace posenc::test
