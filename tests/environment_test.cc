// Tests of what a call finds around it. Whatever rounding mode and flushing of subnormals the caller has set, a call
// gives the same bits and leaves the floating-point environment as it was; and a small stack is enough.

#include <gtest/gtest.h>
#include <pthread.h>

#include <cfenv>
#include <cstdint>
#include <span>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class Environment : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(Environment);

// What a caller can set: the rounding mode, flush-to-zero and denormals-are-zero.
#if defined(__x86_64__)
constexpr std::uint64_t kFlush = 0x8040;
std::uint64_t ControlWord() { return _mm_getcsr(); }
void SetControlWord(std::uint64_t word) { _mm_setcsr(static_cast<unsigned>(word)); }
constexpr std::uint64_t kStatus = 0x3F;  // sticky exception flags: not part of what a call promises to keep
#elif defined(__aarch64__)
constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;
std::uint64_t ControlWord() {
  std::uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void SetControlWord(std::uint64_t word) { __asm__ volatile("msr fpcr, %0" : : "r"(word)); }
constexpr std::uint64_t kStatus = 0;
#else
constexpr std::uint64_t kFlush = 0;
std::uint64_t ControlWord() { return 0; }
void SetControlWord(std::uint64_t) {}
constexpr std::uint64_t kStatus = 0;
#endif

class RestoredEnvironment {
 public:
  RestoredEnvironment() : rounding_(std::fegetround()), word_(ControlWord()) {}
  RestoredEnvironment(const RestoredEnvironment&) = delete;
  RestoredEnvironment& operator=(const RestoredEnvironment&) = delete;
  ~RestoredEnvironment() {
    SetControlWord(word_);
    std::fesetround(rounding_);
  }

 private:
  int rounding_;
  std::uint64_t word_;
};

// Calls body() in every environment, checks that it left it alone, and then calls check() in the default one.
template <class Body, class Check>
void InEveryEnvironment(Body body, Check check) {
  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (const bool flush : {false, true}) {
      std::uint64_t before = 0;
      std::uint64_t after = 0;
      int rounding_after = 0;
      {
        const RestoredEnvironment restored;
        std::fesetround(rounding);
        if (flush) SetControlWord(ControlWord() | kFlush);
        before = ControlWord();
        body();
        after = ControlWord();
        rounding_after = std::fegetround();
      }
      EXPECT_EQ(after & ~kStatus, before & ~kStatus) << "rounding " << rounding << " flush " << flush;
      EXPECT_EQ(rounding_after, rounding);
      check();
    }
  }
}

std::vector<Spec> EnvironmentSpecs() {
  std::vector<Spec> specs = ValueSpecs();
  specs.push_back(SpecOf(128));
  return specs;
}

TEST_P(Environment, OfACallChangesNothing) {
  for (const Spec& spec : EnvironmentSpecs()) {
    const Encoder encoder = MakeOrFail(spec);
    ForEveryType([&]<class T>() {
      constexpr std::size_t kCount = 57;
      Error error = Error::kMemory;
      for (const std::int64_t start : {std::int64_t{-20}, std::int64_t{1} << 45}) {
        const std::vector<T> want = EncodeTable<T>(encoder, start, kCount);
        GuardedRows<T> got(spec.dim, kCount);
        InEveryEnvironment([&] { error = encoder.EncodeRange(start, got.rows()); },
                           [&] {
                             EXPECT_EQ(error, Error::kNone);
                             EXPECT_TRUE(SameRows(got.Packed(), want, spec.dim)) << Describe(spec);
                             got = GuardedRows<T>(spec.dim, kCount);
                           });
      }
    });
  }
}

TEST_P(Environment, OfMakeChangesNothing) {
  for (const Spec& spec : EnvironmentSpecs()) {
    const std::vector<float> want = EncodeTable<float>(MakeOrFail(spec), 12345, 17);
    Encoder encoder;
    InEveryEnvironment([&] { encoder = Encoder::Make(spec).value; },
                       [&] {
                         EXPECT_TRUE(SameRows(EncodeTable<float>(encoder, 12345, 17), want, spec.dim))
                             << Describe(spec);
                         encoder = Encoder();
                       });
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(NDEBUG)
#if defined(__has_feature)
#define POSENC_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define POSENC_SANITIZED 0
#endif
#if !POSENC_SANITIZED
// The calls that need the most: 96 KiB, in a thread that has 128 KiB with what the system puts there.
template <class T>
void* CallDeeply(void* failures) {
  const Encoder encoder = Encoder::Make(SpecOf(770)).value;
  std::vector<T> rows(770 * 3000 + 1), x(rows.size());
  std::vector<std::int64_t> positions(3000);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i * 7919 % 20011);
  const Rows<T> out{rows.data() + 1, positions.size(), 0, Stores::kStreamed};
  const Rows<const T> in{x.data() + 1, positions.size()};
  for (const Error error :
       {encoder.EncodeRange(-9, out), encoder.EncodeRange(-9, out, 7), encoder.EncodeAddRange(-9, 1.0, in, out, 7),
        encoder.Encode(std::span<const std::int64_t>(positions), out)}) {
    if (error != Error::kNone) ++*static_cast<int*>(failures);
  }
  return nullptr;
}

TEST_P(Environment, FitsASmallStack) {
  ForEveryType([]<class T>() {
    int failures = 0;
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{128} << 10), 0);
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &attributes, CallDeeply<T>, &failures), 0);
    EXPECT_EQ(pthread_join(thread, nullptr), 0);
    EXPECT_EQ(pthread_attr_destroy(&attributes), 0);
    EXPECT_EQ(failures, 0);
  });
}
#endif
#endif

}  // namespace
}  // namespace posenc::test
