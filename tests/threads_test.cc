// Tests of one Encoder in several threads: the bits of a table do not depend on how threads share it, and the first
// call of a process may come from several threads at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kDim = 130;
constexpr std::size_t kCount = 3001;
constexpr std::int64_t kStart = -700;

// Runs body(t) in kThreads threads that all wait for each other first.
template <class Body>
void InThreads(Body body) {
  std::barrier<> all(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      all.arrive_and_wait();
      body(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// First in its file, and ctest runs it in a process of its own: nothing has called the library before.
TEST(Threads, MayRaceForTheFirstCall) {
  std::vector<std::vector<float>> tables(kThreads);
  std::vector<const char*> targets(kThreads);
  InThreads([&](std::size_t t) {
    targets[t] = ActiveTarget();
    tables[t] = EncodeTable<float>(MakeOrFail(SpecOf(kDim)), kStart, 40);
  });
  for (std::size_t t = 0; t < kThreads; ++t) {
    EXPECT_STREQ(targets[t], ActiveTarget());
    EXPECT_TRUE(SameRows(tables[t], EncodeTable<float>(MakeOrFail(SpecOf(kDim)), kStart, 40), kDim));
  }
}

TEST(Threads, MayWriteDisjointRowsOfOneTable) {
  const Encoder encoder = MakeOrFail(SpecOf(kDim));
  ForEveryType([&]<class T>() {
    const std::vector<T> want = EncodeTable<T>(encoder, kStart, kCount);
    for (const std::size_t chunk : Sizes{1, 7, 32, 376, 1000}) {
      GuardedRows<T> out(kDim, kCount, kDim + 1, 1);
      InThreads([&](std::size_t t) {
        for (std::size_t first = t * chunk; first < kCount; first += kThreads * chunk) {
          const Rows<T> rows{out.data() + first * (kDim + 1), std::min(chunk, kCount - first), kDim + 1};
          ASSERT_EQ(encoder.EncodeRange(kStart + static_cast<std::int64_t>(first), rows), Error::kNone);
        }
      });
      EXPECT_TRUE(SameRows(out.Packed(), want, kDim)) << "chunks of " << chunk;
      EXPECT_TRUE(out.GuardsAreIntact());
    }
  });
}

TEST(Threads, WriteTheSameRowsAtTheSameTime) {
  const Encoder encoder = MakeOrFail(SpecOf(kDim));
  const std::vector<float> want = EncodeTable<float>(encoder, kStart, kCount);
  std::vector<std::vector<float>> tables(kThreads);
  InThreads([&](std::size_t t) { tables[t] = EncodeTable<float>(encoder, kStart, kCount); });
  for (const std::vector<float>& table : tables) EXPECT_TRUE(SameRows(table, want, kDim));
}

// The rows of a table are there for the thread that is told so, whatever kind of stores wrote them.
TEST(Threads, PublishTheirRowsWithARelease) {
  constexpr std::size_t kLargeCount = 8192;
  const Encoder encoder = MakeOrFail(SpecOf(512));
  std::vector<float> table(kLargeCount * 512 + 1);
  const std::vector<float> want = EncodeTable<float>(encoder, 1, kLargeCount);
  std::atomic<bool> ready = false;
  std::thread producer([&] {
    ASSERT_EQ(encoder.EncodeRange(1, Rows<float>{table.data() + 1, kLargeCount, 0}), Error::kNone);
    ready.store(true, std::memory_order_release);
  });
  while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
  const std::span<const float> got(table.data() + 1, want.size());
  EXPECT_TRUE(SameRows(got, std::span<const float>(want), 512));
  producer.join();
}

}  // namespace
}  // namespace posenc::test
