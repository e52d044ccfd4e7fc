// Tests of EncodeRange<float> against sines and cosines that share no code with MPFR or with the library: scalar libm
// in double, and SLEEF. Both are doubles with errors of their own, so these are the tests that state a tolerance.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/sleef_sincospi.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

constexpr std::size_t kDim = 512;
constexpr std::size_t kFrequencies = kDim / 2;

class Libm : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(Libm);

// The formula as a program would have it, with doubles throughout.
TEST_P(Libm, FloatsAreWithin6e8OfTheFormulaInDouble) {
  constexpr std::size_t kCount = 4096;
  const std::vector<float> rows = EncodeTable<float>(MakeOrFail(SpecOf(kDim)), 0, kCount);
  double worst = 0;
  for (std::size_t k = 0; k < kFrequencies; ++k) {
    const double w = std::pow(10000.0, -2.0 * static_cast<double>(k) / static_cast<double>(kDim));
    for (std::size_t p = 0; p < kCount; ++p) {
      const double angle = static_cast<double>(p) * w;
      const float* pair = rows.data() + p * kDim + 2 * k;
      worst = std::fmax(worst, std::fabs(static_cast<double>(pair[0]) - std::sin(angle)));
      worst = std::fmax(worst, std::fabs(static_cast<double>(pair[1]) - std::cos(angle)));
    }
  }
  std::printf("largest difference from std::sin and std::cos in double: %.3g\n", worst);
  EXPECT_LE(worst, 6e-8);
}

struct Peer {
  const char* name;
  SinCosPi* function;
  bool runs;
};

std::vector<Peer> SleefPeers() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return {{"SSE2", &SleefSse2, true},
          {"AVX2", &SleefAvx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")},
          {"AVX512F", &SleefAvx512, __builtin_cpu_supports("avx512f") != 0}};
#elif defined(__aarch64__)
  return {{"ADVSIMD", &SleefAdvSimd, true}};
#else
  return {};
#endif
}

// SLEEF's value v is within 0.506 ulp, 2^-53.9, of the sine of an angle that one rounding moved by at most
// pi * 2^-54 < 2^-52.3: together below 2^-51.7. Where no midpoint of two floats is within 2^-51 of v, v rounds to the
// correctly rounded float, and posenc must have its bits.
constexpr double kSleefError = 0x1p-51;

bool RoundsForSure(double v) {
  const auto below = static_cast<float>(v - kSleefError);
  const auto above = static_cast<float>(v + kSleefError);
  return ToBits(below) == ToBits(above);
}

// The reference alone takes most of the time, so every target runs in one test.
void ExpectSleefBits(std::int64_t start, std::size_t count) {
  const Spec spec = SpecOf(kDim);
  Reference reference(spec);
  const Encoder encoder = MakeOrFail(spec);
  std::vector<double> half_turns;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t k = 0; k < kFrequencies; ++k) {
      half_turns.push_back(reference.HalfTurns(start + static_cast<std::int64_t>(r), k));
    }
  }
  for (const Peer& peer : SleefPeers()) {
    if (!peer.runs) {
      std::printf("SLEEF %s: this CPU has it not\n", peer.name);
      continue;
    }
    SCOPED_TRACE(peer.name);
    std::vector<double> sin(half_turns.size());
    std::vector<double> cos(half_turns.size());
    peer.function(half_turns.data(), half_turns.size(), sin.data(), cos.data());
    ForEveryTarget([&] {
      const std::vector<float> rows = EncodeTable<float>(encoder, start, count);
      std::size_t unsure = 0;
      for (std::size_t i = 0; i < half_turns.size(); ++i) {
        for (const auto& [got, v] : {std::pair(rows[2 * i], sin[i]), std::pair(rows[2 * i + 1], cos[i])}) {
          ASSERT_LE(std::fabs(static_cast<double>(got) - v), 0x1p-25 + kSleefError) << "pair " << i;
          if (RoundsForSure(v)) {
            ASSERT_EQ(ToBits(got), ToBits(static_cast<float>(v))) << "pair " << i << " " << Describe(v);
          } else {
            ++unsure;
          }
        }
      }
      EXPECT_LE(unsure, rows.size() / 10000) << "too few values were compared";
    });
  }
}

TEST(Sleef, FloatsHaveItsBitsNearZero) { ExpectSleefBits(1, 768); }

TEST(Sleef, FloatsHaveItsBitsFarOut) {
  ExpectSleefBits(131071, 128);
  ExpectSleefBits((std::int64_t{1} << 53) + 1, 128);
  ExpectSleefBits(-(std::int64_t{1} << 62) - 12345, 128);
}

}  // namespace
}  // namespace posenc::test
