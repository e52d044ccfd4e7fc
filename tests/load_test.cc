// Load: one encoder and eight threads go in, tables written without a pause for a time come out with the same bits each
// time. POSENC_LOAD_SECONDS is the time, 3 when it is not set.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "posenc/posenc.h"
#include "tests/in_threads.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

constexpr std::size_t kDim = 512;
constexpr std::size_t kCount = 4801;  // of floats: beyond the size that streams, and no multiple of any group
constexpr std::int64_t kStart = -1234;

double Seconds() {
  const char* const text = std::getenv("POSENC_LOAD_SECONDS");  // NOLINT(concurrency-mt-unsafe): before any thread
  return text == nullptr ? 3.0 : std::strtod(text, nullptr);
}

// One table that all threads write, each its share of the rows in pieces of its own, and one that each writes alone.
// Between them every thread compares what another one wrote, and wipes it.
TEST(Load, EightThreadsWriteTheSameBitsOfOneEncoder) {
  const Encoder encoder = MakeOrFail(SpecOf(kDim));
  const std::vector<float> want = EncodeTable<float>(encoder, kStart, kCount);
  std::vector<float> shared(want.size());
  std::vector<std::vector<float>> own(kThreads, std::vector<float>(want.size()));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(Seconds());
  std::atomic<std::size_t> wrong = 0;
  std::atomic<bool> go_on = true;
  std::size_t rounds = 0;
  std::barrier<> step(kThreads);
  constexpr std::size_t kShare = (kCount + kThreads - 1) / kThreads;

  InThreads([&](std::size_t t) {
    const auto row = [](std::vector<float>& table, std::size_t r) { return table.data() + r * kDim; };
    const std::size_t begin = t * kShare, end_row = std::min(begin + kShare, kCount);
    const std::size_t piece = 1 + 37 * t;
    while (go_on) {
      for (std::size_t r = begin; r < end_row; r += piece) {
        const Rows<float> rows{row(shared, r), std::min(piece, end_row - r), 0};
        if (encoder.EncodeRange(kStart + static_cast<std::int64_t>(r), rows) != Error::kNone) ++wrong;
      }
      if (encoder.EncodeRange(kStart, Rows<float>{own[t].data(), kCount, 0}) != Error::kNone) ++wrong;
      step.arrive_and_wait();
      const std::size_t other = (t + 1) % kThreads;
      const std::size_t first = other * kShare, count = std::min(kShare, kCount - first);
      if (std::memcmp(row(shared, first), want.data() + first * kDim, count * kDim * sizeof(float)) != 0) ++wrong;
      if (std::memcmp(own[other].data(), want.data(), want.size() * sizeof(float)) != 0) ++wrong;
      std::fill_n(row(shared, first), count * kDim, 0.0f);
      std::ranges::fill(own[other], 0.0f);
      if (t == 0) {
        ++rounds;
        go_on = std::chrono::steady_clock::now() < end && wrong == 0;
      }
      step.arrive_and_wait();
    }
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(rounds, 0u);
  static_cast<void>(std::printf("%zu rounds, %.1f GB in %zu threads\n", rounds,
                                1e-9 * static_cast<double>(rounds * (kThreads + 1) * want.size() * sizeof(float)),
                                kThreads));
}

}  // namespace
}  // namespace posenc::test
