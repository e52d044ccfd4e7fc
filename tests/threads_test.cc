// Tests of one Encoder in several threads: the bits of a table do not depend on how threads share it, and the first
// call of a process may come from several threads at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "posenc/presets.h"
#include "tests/in_threads.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

constexpr std::size_t kDim = 130;
constexpr std::size_t kCount = 3001;
constexpr std::int64_t kStart = -700;

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

// What every call of the library writes, of the encoder and of T.
template <class T>
class EveryCall {
 public:
  static constexpr std::size_t kCalls = 7;

  explicit EveryCall(const Encoder& encoder) : encoder_(encoder) {
    for (std::size_t r = 0; r < kRows; ++r) {
      integers_[r] = r < kRows / 2 ? static_cast<std::int64_t>(r) - 9 : static_cast<std::int64_t>(r * r * 1000003);
      reals_[r] = static_cast<double>(r) * 12.375;
    }
  }

  // Makes all calls, call `first` before the others.
  void Run(std::size_t first) {
    for (std::size_t i = 0; i < kCalls; ++i) errors_[(first + i) % kCalls] = Call((first + i) % kCalls);
  }

  void ExpectSame(const EveryCall& other) const {
    for (std::size_t call = 0; call < kCalls; ++call) {
      EXPECT_EQ(errors_[call], Error::kNone) << "call " << call;
      EXPECT_TRUE(SameRows(rows_[call], other.rows_[call], kDim)) << "call " << call;
    }
    EXPECT_TRUE(SameRows(similarities_, other.similarities_, 1));
  }

 private:
  static constexpr std::size_t kRows = 70;

  Error Call(std::size_t call) {
    std::vector<T>& memory = rows_[call];
    memory.assign((call == 5 ? 2 : 1) * kRows * kDim, T{});
    const Rows<T> rows{memory.data(), kRows, 0};
    const std::span<const std::int64_t> integers(integers_);
    const std::span<const double> reals(reals_);
    switch (call) {
      case 0:
        return encoder_.EncodeRange(kStart, rows);
      case 1:
        return encoder_.Encode(integers, rows);
      case 2:
        return encoder_.EncodeAddRange(kStart, 2.0, Rows<const T>{memory.data(), kRows, 0}, rows, 3);
      case 3:
        return encoder_.EncodeAdd(reals, 1.0, Rows<const T>{memory.data(), kRows, 0}, rows);
      case 4:
        return encoder_.EncodePlanes(reals, Rows<T>{memory.data(), kRows, kDim},
                                     Rows<T>{memory.data() + kDim / 2, kRows, kDim});
      case 5: {
        const Axis axes[] = {{&encoder_, reals.first(10), kDim}, {&encoder_, reals.last(7), 0}};
        return EncodeGrid(std::span<const Axis>(axes), Rows<T>{memory.data(), kRows, 0});
      }
      default: {
        if (const Error error = encoder_.EncodeRange(1, rows); error != Error::kNone) return error;
        const Error error = encoder_.Rotate(integers, HeadShape{}, Rows<const T>{memory.data(), kRows, 0}, rows);
        return error != Error::kNone ? error : encoder_.Similarity(integers, similarities_);
      }
    }
  }

  const Encoder& encoder_;
  std::array<std::int64_t, kRows> integers_ = {};
  std::array<double, kRows> reals_ = {};
  std::array<std::vector<T>, kCalls> rows_;
  std::array<Error, kCalls> errors_ = {};
  std::vector<double> similarities_ = std::vector<double>(kRows);
};

// The same with another first call in each thread, and with the tables of names that the presets make.
TEST(Threads, MayRaceForTheFirstCallOfEveryKind) {
  std::vector<Encoder> encoders(kThreads);
  std::vector<EveryCall<Half>> calls;
  calls.reserve(kThreads);
  for (std::size_t t = 0; t < kThreads; ++t) calls.emplace_back(encoders[t]);
  std::vector<std::size_t> names(kThreads);
  InThreads([&](std::size_t t) {
    encoders[t] = MakeOrFail(SpecOf(kDim));
    calls[t].Run(t % EveryCall<Half>::kCalls);
    names[t] = presets::All().size();
  });
  EveryCall<Half> want(encoders[0]);
  want.Run(0);
  for (std::size_t t = 0; t < kThreads; ++t) {
    calls[t].ExpectSame(want);
    EXPECT_EQ(names[t], presets::All().size());
  }
}

TEST(Threads, MayShareOneEncoderInEveryCall) {
  ForEveryType([]<class T>() {
    const Encoder encoder = MakeOrFail(SpecOf(kDim));
    EveryCall<T> want(encoder);
    want.Run(0);
    std::vector<EveryCall<T>> calls(kThreads, EveryCall<T>(encoder));
    InThreads([&](std::size_t t) {
      for (std::size_t repeat = 0; repeat < 20; ++repeat) calls[t].Run((t + repeat) % EveryCall<T>::kCalls);
    });
    for (const EveryCall<T>& of_thread : calls) of_thread.ExpectSame(want);
  });
}

// Copies share their tables: the last one, in whatever thread, frees them.
TEST(Threads, MayMakeCopyAndDropEncodersAtTheSameTime) {
  constexpr std::size_t kRounds = 60;
  const Encoder shared = MakeOrFail(SpecOf(64));
  const std::vector<float> want = EncodeTable<float>(shared, kStart, 9);
  std::vector<std::size_t> same(kThreads);
  InThreads([&](std::size_t t) {
    Encoder held = shared;
    for (std::size_t round = 0; round < kRounds; ++round) {
      const Encoder made = MakeOrFail(SpecOf(64));
      const Encoder copy = round % 2 == 0 ? made : held;
      held = round % 3 == 0 ? made : shared;
      if (EncodeTable<float>(copy, kStart, 9) == want && held.spec().dim == 64) ++same[t];
    }
  });
  for (const std::size_t rounds : same) EXPECT_EQ(rounds, kRounds);
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
