// Tests of room repair: every element is compared, as an equality of bits, with the exact value that MPFR computes from
// the frequency and the position, rounded once.

#include "src/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "src/repair_stage.h"
#include "src/wide.h"
#include "tests/reference.h"
#include "tests/repair_reference.h"
#include "tests/rounding.h"
#include "tests/specs.h"
#include "tests/wide_reference.h"

namespace posenc::test {
namespace {

struct Case {
  const Frequency* frequency;
  AnyPosition position;
  Wave wave;
  double amplitude;
  const Addend* addend;
};

std::string DescribeCase(const Case& c) {
  char text[300];
  std::snprintf(text, sizeof(text), "%s frequency %a position %a (%lld) amplitude %a addend %a * %a",
                c.wave == Wave::kSin ? "sin" : "cos", mpfr_get_d(c.frequency->exact, MPFR_RNDN),
                std::visit([](auto p) { return static_cast<double>(p); }, c.position),
                static_cast<long long>(c.position.index() == 0 ? std::get<std::int64_t>(c.position) : 0), c.amplitude,
                c.addend == nullptr ? 0.0 : c.addend->scale, c.addend == nullptr ? 0.0 : c.addend->x);
  return text;
}

// How many elements were compared, and how many of them each stage left open.
struct Tally {
  long elements = 0;
  long open[kSecondLimbs + 1] = {};
};

template <class T, int L>
void CheckStage(const Case& c, T want, Tally* tally) {
  Factors factors;
  if (c.addend != nullptr) factors.addend = Multiply<2>(WideOf(c.addend->scale), WideOf(c.addend->x));
  factors.factor[static_cast<std::size_t>(c.wave)] = Resized<2>(WideOf(c.amplitude));
  const Position position = ToPosition(c.position);
  const Phase phase = PhaseOf(c.frequency->turns, position);
  const Wide<3> angle = L == kSecondLimbs ? ExactAngleOf(c.frequency->turns, position, phase) : Wide<3>{};
  const Decision decision = Stage<L>(phase, factors, angle, kFormat<T>);
  if (!decision.certain) {
    ++tally->open[L];
  } else {
    const T value = FromBits<T>(static_cast<BitsOf<T>>(decision.bits));
    ASSERT_TRUE(Same(value, want)) << L << " limbs: " << Describe(value) << " want " << Describe(want) << ": "
                                   << DescribeCase(c);
  }
}

template <class T>
void Check(const Case& c, const Waves& waves, Tally* tally, bool stages = false) {
  const T got = Repair<T>(c.frequency->turns, ToPosition(c.position), c.wave, c.amplitude, c.addend);
  const T want = waves.Element<T>(c.wave, c.amplitude, c.addend);
  ++tally->elements;
  ASSERT_TRUE(Same(got, want)) << Format<T>::kName << " " << Describe(got) << " want " << Describe(want) << ": "
                               << DescribeCase(c);
  const bool exact = ToPosition(c.position).magnitude == 0 || IsZero(c.frequency->turns) || c.amplitude == 0.0;
  if (!stages || exact || (c.addend != nullptr && !std::isfinite(c.addend->x))) return;
  CheckStage<T, 1>(c, want, tally);
  CheckStage<T, kFirstLimbs>(c, want, tally);
  CheckStage<T, kSecondLimbs>(c, want, tally);
}

template <class Function>
void ForEachType(Function function) {
  function(std::type_identity<float>());
  function(std::type_identity<double>());
  function(std::type_identity<Half>());
  function(std::type_identity<BFloat16>());
}

// A finite value of T of any exponent.
template <class T>
double RandomValue(std::mt19937_64& random) {
  for (;;) {
    const double x = ToDouble(FromBits<T>(static_cast<BitsOf<T>>(random())));
    if (std::isfinite(x)) return x;
  }
}

// Addends for an element that is near value: none, zeros, random, all but cancelling, huge, tiny, not finite.
template <class T>
bool RandomAddend(std::mt19937_64& random, T value, Addend* addend) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  switch (random() % 12) {
    case 0:
    case 1:
      return false;
    case 2:
      *addend = {random() % 2 == 0 ? 0.0 : -1.0, random() % 2 == 0 ? 0.0 : -0.0};
      return true;
    case 3:
    case 4:
      *addend = {1.0, RandomValue<T>(random)};
      return true;
    case 5:
      *addend = {22.627416997969522, std::ldexp(1.0, -static_cast<int>(random() % 12)) * 0x1.23456p0};
      return true;
    case 6:
    case 7: {  // cancels the leading bits; the neighbours leave a few
      const auto bits = static_cast<BitsOf<T>>(ToBits(value) + random() % 5 - 2);
      const double x = ToDouble(FromBits<T>(bits));
      if (!std::isfinite(x)) return false;
      *addend = {-1.0, x};
      return true;
    }
    case 8: {  // cancels 53 bits of a product of 106
      const double scale = std::bit_cast<double>((random() & 0x000fffffffffffff) | 0x3ff0000000000000);
      *addend = {scale, -ToDouble(value) / scale};
      if (!std::isfinite(addend->x)) addend->x = 1.0;
      return true;
    }
    case 9:
      *addend = {FiniteDouble(random), FiniteDouble(random)};
      return true;
    case 10:
      *addend = {0x1p-1000, 5e-324};
      return true;
    default: {
      const double x[] = {HUGE_VAL, -HUGE_VAL, nan, -nan, 0x1p-24, 0x1p-53};
      *addend = {random() % 4 == 0 ? 0.0 : -2.0, x[random() % 6]};
      return true;
    }
  }
}

std::vector<std::unique_ptr<Frequency>> Frequencies(std::mt19937_64& random) {
  std::vector<std::unique_ptr<Frequency>> all;
  for (const double w : {1.0, 0.5, 1e-4, -0.1, 1e-20, 0x1p64, 5e-324, 0x1.fffffffffffffp63, 3.0, -0.0}) {
    all.push_back(std::make_unique<Frequency>(w));
  }
  all.push_back(std::make_unique<Frequency>(0.3, 6.283185307179586));
  all.push_back(std::make_unique<Frequency>(1e-200, 1e-200));
  for (const double base : {1e4, 5e5, 1234567.891, 1e12}) {
    for (const std::size_t k : {1u, 7u, 33u, 63u}) all.push_back(std::make_unique<Frequency>(SpecOf(128, base), k));
  }
  for (int i = 0; i < 12; ++i) {
    double w = FiniteDouble(random);
    while (std::fabs(w) > 0x1p64) w *= 0x1p-64;
    all.push_back(std::make_unique<Frequency>(w));
  }
  return all;
}

TEST(Repair, MillionRandomElementsAreThoseOfMpfr) {
  std::mt19937_64 random(11);
  const auto frequencies = Frequencies(random);
  for (const auto& frequency : frequencies) ASSERT_EQ(frequency->error, Error::kNone);
  const double amplitudes[] = {1.0, 1.0, 1.0, 0.5, std::sqrt(2.0 / 512), -3.7, 1e-30, 1e30, 1e300, 5e-324, 0.0, -0.0};
  Tally tally;
  for (int i = 0; tally.elements < 1100000; ++i) {
    const Frequency& frequency = *frequencies[random() % frequencies.size()];
    const AnyPosition position = RandomPosition(random);
    const Waves waves(frequency, position);
    for (int j = 0; j < 6; ++j) {
      ForEachType([&]<class T>(std::type_identity<T>) {
        for (const Wave wave : {Wave::kSin, Wave::kCos}) {
          const double amplitude = amplitudes[random() % std::size(amplitudes)];
          const T value = waves.Element<T>(wave, amplitude, nullptr);
          Addend addend;
          const bool has_addend = RandomAddend<T>(random, value, &addend);
          Check<T>({&frequency, position, wave, amplitude, has_addend ? &addend : nullptr}, waves, &tally, i % 8 == 0);
        }
      });
      if (HasFatalFailure()) return;
    }
  }
  std::printf("%ld elements; left open by 1 limb: %ld, by the first stage: %ld, by the second: %ld\n", tally.elements,
              tally.open[1], tally.open[kFirstLimbs], tally.open[kSecondLimbs]);
  // One limb cannot know a double: the test of certainty has been seen to say no. The first stage is short of little
  // but the cancellation of a tiny angle by itself, and the second decides all.
  EXPECT_GT(tally.open[1], 1000);
  EXPECT_GT(tally.open[kFirstLimbs], 0);
  EXPECT_LT(tally.open[kFirstLimbs], tally.elements / 10000);
  EXPECT_EQ(tally.open[kSecondLimbs], 0);
}

TEST(Repair, PositionsNearMultiplesOfPi) {
  // The convergents p/q of 2 t: the sine at position q is as near to zero as a position can bring it.
  std::vector<std::unique_ptr<Frequency>> frequencies;
  frequencies.push_back(std::make_unique<Frequency>(1.0));
  frequencies.push_back(std::make_unique<Frequency>(0x1.8p40));
  for (std::size_t k = 1; k < 64; ++k) frequencies.push_back(std::make_unique<Frequency>(SpecOf(128), k));
  Tally tally;
  double smallest = 1.0;
  for (const auto& frequency : frequencies) {
    Real rest(Reference::kFrequencyBits);
    const mpfr_ptr r = rest;
    Real pi(Reference::kFrequencyBits);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_div(r, frequency->exact, pi, MPFR_RNDN);
    std::int64_t before = 0;
    std::int64_t q = 1;
    for (;;) {
      mpfr_frac(r, r, MPFR_RNDN);
      mpfr_ui_div(r, 1, r, MPFR_RNDN);
      const double quotient = std::floor(mpfr_get_d(r, MPFR_RNDD));
      const double next = quotient * static_cast<double>(q) + static_cast<double>(before);
      if (next > 0x1p53) break;
      before = std::exchange(q, static_cast<std::int64_t>(next));
      for (const std::int64_t position : {q, -q, 2 * q, q / 2}) {
        const Waves waves(*frequency, position);
        smallest = std::min(smallest, std::fabs(waves.Element<double>(Wave::kSin, 1.0, nullptr)));
        const Addend one = {-1.0, waves.Element<double>(Wave::kCos, 1.0, nullptr) < 0 ? -1.0 : 1.0};
        for (const Addend* addend : {static_cast<const Addend*>(nullptr), &one}) {
          for (const Wave wave : {Wave::kSin, Wave::kCos}) {
            ForEachType([&]<class T>(std::type_identity<T>) {
              Check<T>({frequency.get(), position, wave, 1.0, addend}, waves, &tally, true);
            });
          }
        }
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_LT(smallest, 0x1p-53);
  EXPECT_GT(tally.elements, 20000);
  EXPECT_EQ(tally.open[kSecondLimbs], 0);
}

// The largest error of SeriesOf over random x, in units of the last place of L limbs, x itself being exact.
template <int L>
double SeriesError(int power, std::mt19937_64& random) {
  double worst = 0.0;
  Real x(64 * L);
  Real want(1200);
  Real got(64 * L);
  for (int i = 0; i < 4000; ++i) {
    std::uint64_t limb[L];
    for (std::uint64_t& word : limb) word = random();
    limb[L - 1] |= 0x8000000000000000;
    if (i < 2000 && power != 3) limb[L - 1] = 0xc8ffffffffffffff - random() % 1000000;  // up to 0.785
    const int exponent = power == 3 ? -60 - static_cast<int>(random() % 50)
                         : i < 2000 ? 0
                                    : -static_cast<int>(i % 70) - 1;
    const Wide<L> wide = Normalized<L>(limb, exponent, false);
    ToReal(wide, x);
    if (power == 2) {
      mpfr_cos(want, x, MPFR_RNDN);
      mpfr_ui_sub(want, 1, want, MPFR_RNDN);
    } else {
      mpfr_sin(want, x, MPFR_RNDN);
      if (power == 3) mpfr_sub(want, x, want, MPFR_RNDN);
    }
    const Wide<L> value = SeriesOf(wide, power);
    ToReal(value, got);
    mpfr_sub(want, want, got, MPFR_RNDN);
    mpfr_mul_2si(want, want, 64 * L - value.exponent, MPFR_RNDN);
    worst = std::max(worst, std::fabs(mpfr_get_d(want, MPFR_RNDN)));
  }
  return worst;
}

TEST(Repair, SeriesIsWithinItsBound) {
  // kSeriesErrorBits covers the angle (5.3 u, three times for power 3) and the amplitude (2 u) as well: 63 - 18 are
  // left for the series alone at most.
  std::mt19937_64 random(16);
  for (const int power : {1, 2, 3}) {
    const double one = SeriesError<1>(power, random);
    const double first = SeriesError<kFirstLimbs>(power, random);
    const double second = SeriesError<kSecondLimbs>(power, random);
    std::printf("largest error of power %d: %.1f, %.1f, %.1f last places (1, %d, %d limbs)\n", power, one, first,
                second, kFirstLimbs, kSecondLimbs);
    EXPECT_LT(one, 45.0);
    EXPECT_LT(first, 45.0);
    EXPECT_LT(second, 45.0);
  }
}

// Whatever lies less than a unit of the highest limb from a number that is far from ties rounds as it does.
TEST(Repair, WhatIsFarFromTiesRoundsOneWay) {
  std::mt19937_64 random(17);
  ForEachType([&]<class T>(std::type_identity<T>) {
    const posenc::Format format = kFormat<T>;
    long far = 0, near = 0;
    for (int i = 0; i < 100000; ++i) {
      const int kept = static_cast<int>(random() % static_cast<std::uint64_t>(format.digits + 3)) - 2;
      const std::int32_t exponent = i % 3 == 0   ? format.min_exponent - format.digits + kept
                                    : i % 3 == 1 ? format.max_exponent + kept % 2
                                                 : static_cast<std::int32_t>(random() % 9);
      std::uint64_t limb[3] = {random(), random(), random()};
      const int bits = i % 3 == 0 ? std::max(kept, 0) : format.digits;
      // The bits below the rounded ones: a tie, or one or two units from it.
      const std::uint64_t rounded = bits == 0 ? 0 : ~(~std::uint64_t{0} >> bits);
      limb[2] = (limb[2] & rounded) + ((std::uint64_t{1} << 63 >> bits) + random() % 5 - 2);
      if (i % 2 == 0) limb[0] = limb[1] = i % 4 == 0 ? 0 : ~std::uint64_t{0};
      limb[2] |= 0x8000000000000000;
      const Wide<3> x = Normalized<3>(limb, exponent, random() % 2 == 0);
      if (!IsFarFromTies(x, format)) {
        ++near;
        continue;
      }
      ++far;
      const std::uint64_t step[3] = {~std::uint64_t{0}, ~std::uint64_t{0}, 0};
      const Wide<3> just_less = Normalized<3>(step, exponent, false);
      ASSERT_EQ(RoundedTo(AddToOdd(x, just_less), format), RoundedTo(x, format)) << i;
      ASSERT_EQ(RoundedTo(AddToOdd(x, Negated(just_less)), format), RoundedTo(x, format)) << i;
    }
    EXPECT_GT(far, 10000);
    EXPECT_GT(near, 10000);
  });
}

TEST(Repair, PublishedValues) {
  const Frequency one(1.0);
  const auto at = [&]<class T>(T, AnyPosition position, Wave wave) {
    return ToBits(Repair<T>(one.turns, ToPosition(position), wave, 1.0, nullptr));
  };
  EXPECT_EQ(at(0.0, std::int64_t{0x7fffffffffffffff}, Wave::kSin), ToBits(0x1.0f881aa0a9a21p-1));
  EXPECT_EQ(at(0.0, 0x1.44f93e5d8cbf5p+46, Wave::kCos), ToBits(0x1.3a65fef6ff30bp-41));
  EXPECT_EQ(at(0.0, 0x1.3a49646a9cc3cp+46, Wave::kSin), ToBits(-0x1.fa18b11094982p-37));
  EXPECT_EQ(at(0.0f, std::int64_t{1000000000}, Wave::kSin), 0x3F0BBC65u);
  EXPECT_EQ(at(0.0f, std::int64_t{1000000000}, Wave::kCos), 0x3F567FC6u);
  EXPECT_EQ(at(Half{}, std::int64_t{70000}, Wave::kSin), 0xBA96u);
  EXPECT_EQ(at(BFloat16{}, std::int64_t{65536}, Wave::kSin), 0x3F31u);
}

// Position 0 makes the cosine 1, so that an element is scale * x + amplitude, exact: every tie can be written down.
template <class T>
T RoundedSum(double amplitude, double scale, double x) {
  static const Frequency frequency(1.0);
  const Addend addend = {scale, x};
  return Repair<T>(frequency.turns, PositionOf(0.0), Wave::kCos, amplitude, &addend);
}

// value and the next one up: their middle is a tie, and anything beside the middle is not.
template <class T>
void CheckTie(BitsOf<T> bits) {
  const T low = FromBits<T>(bits);
  const T high = FromBits<T>(static_cast<BitsOf<T>>(bits + 1));
  const T even = (bits & 1) == 0 ? low : high;
  const double value = ToDouble(low);
  // Half of a last place; the product of two powers of two, since below the least double there is none.
  int exponent = 0;
  std::frexp(value, &exponent);
  const int quantum = value == 0.0 ? Format<T>::kLowest : QuantumExponent<T>(exponent - 1);
  const double half = std::ldexp(1.0, quantum / 2 - 1);
  const double other = std::ldexp(1.0, quantum - quantum / 2);
  ASSERT_EQ(ToBits(RoundedSum<T>(value, half, other)), ToBits(even)) << Describe(low);
  ASSERT_EQ(ToBits(RoundedSum<T>(value, half, other * (1 - 0x1p-52))), ToBits(low)) << Describe(low);
  ASSERT_EQ(ToBits(RoundedSum<T>(value, half, other * (1 + 0x1p-52))), ToBits(high)) << Describe(low);
  ASSERT_EQ(ToBits(RoundedSum<T>(-value, -half, other)), ToBits(even) | SignBit<T>()) << Describe(low);
  ASSERT_EQ(ToBits(RoundedSum<T>(value, 0.0, 1.0)), ToBits(low)) << Describe(low);
}

TEST(Repair, TiesGoToEvenInEveryBinade) {
  // All values of the 16-bit types, the largest up to infinity; of the others every exponent and random fractions.
  for (std::uint32_t bits = 1; bits < InfinityBits<Half>(); ++bits) CheckTie<Half>(static_cast<std::uint16_t>(bits));
  for (std::uint32_t bits = 1; bits < InfinityBits<BFloat16>(); ++bits) {
    CheckTie<BFloat16>(static_cast<std::uint16_t>(bits));
  }
  std::mt19937_64 random(12);
  for (int i = 0; i < 20000; ++i) {
    CheckTie<float>(static_cast<std::uint32_t>(random() % InfinityBits<float>()));
    CheckTie<double>(random() % InfinityBits<double>());
  }
  for (std::uint32_t bits : {0u, 1u, 0x7fffffu, 0x800000u, 0x7f7ffffeu, 0x7f7fffffu}) CheckTie<float>(bits);
  for (std::uint64_t bits : {0x0ull, 0x1ull, 0xfffffffffffffull, 0x10000000000000ull, 0x7feffffffffffffeull}) {
    CheckTie<double>(bits);
  }
  // The largest double plus half of its last place: the tie goes to infinity.
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(RoundedSum<double>(largest, 0x1p970, 1.0), HUGE_VAL);
  EXPECT_EQ(RoundedSum<double>(largest, 0x1p970, 1 - 0x1p-53), largest);
  EXPECT_EQ(RoundedSum<double>(-largest, -0x1p970, 1.0), -HUGE_VAL);
  EXPECT_EQ(RoundedSum<double>(1.0, 1e300, 1e300), HUGE_VAL);
}

TEST(Repair, FarAddendsDecideATie) {
  // 1 + 2^-24 is a tie of float; 2^-2148 of either sign decides it, from the addend or from the amplitude.
  EXPECT_EQ(RoundedSum<float>(0x1.000001p0, 5e-324, 5e-324), 0x1.000002p0f);
  EXPECT_EQ(RoundedSum<float>(0x1.000001p0, 5e-324, -5e-324), 1.0f);
  EXPECT_EQ(RoundedSum<float>(0x1.000001p0, 5e-324, 0.0), 1.0f);
  EXPECT_EQ(RoundedSum<float>(5e-324, 0x1.000001p0, 1.0), 0x1.000002p0f);
  EXPECT_EQ(RoundedSum<float>(-5e-324, 0x1.000001p0, 1.0), 1.0f);
  // (1 + 2^-27) (1 + 2^-26) is a tie of double.
  EXPECT_EQ(RoundedSum<double>(5e-324, 0x1.0000002p0, 0x1.0000004p0), 0x1.0000006000001p0);
  EXPECT_EQ(RoundedSum<double>(-5e-324, 0x1.0000002p0, 0x1.0000004p0), 0x1.0000006p0);
}

TEST(Repair, TinyAnglesBesideTies) {
  // The cosine of a tiny angle is below 1 by its square: that decides ties of 1 + x, and is all that 1 - 1 leaves.
  std::mt19937_64 random(13);
  Tally tally;
  for (const double w : {1.0, 1e-20, 1e-200, 5e-324}) {
    const Frequency frequency(w);
    for (const double position : {5e-324, 1e-300, 1e-160, 1e-100, 1e-60, -1e-40, 1e-30, 1e-20, 1e-10, 1e-5}) {
      const Waves waves(frequency, position);
      for (const double amplitude : {1.0, -3.7, 1e300, 1e-300}) {
        for (const Wave wave : {Wave::kSin, Wave::kCos}) {
          ForEachType([&]<class T>(std::type_identity<T>) {
            const int digits = Format<T>::kPrecision;
            const double sine = waves.Element<double>(Wave::kSin, amplitude, nullptr);
            for (const Addend& addend :
                 {Addend{-amplitude, 1.0}, Addend{amplitude, std::ldexp(1.0, -digits)},
                  Addend{amplitude, -std::ldexp(1.0, -digits - 1)}, Addend{-1.0, sine},
                  Addend{amplitude, std::ldexp(3.0, -digits)}, Addend{1.0, 1e-310}, Addend{amplitude, -1 - 0x1p-52},
                  Addend{-amplitude, w * position}, Addend{amplitude, 1 + std::ldexp(1, -digits)}}) {
              Check<T>({&frequency, position, wave, amplitude, &addend}, waves, &tally, true);
            }
            Check<T>({&frequency, position, wave, amplitude, nullptr}, waves, &tally, true);
          });
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(tally.open[kFirstLimbs], 0);
  EXPECT_EQ(tally.open[kSecondLimbs], 0);
}

TEST(Repair, ExactZerosKeepTheirSigns) {
  const Frequency positive(1.0);
  const Frequency negative(-1.0);
  const Frequency zero(-0.0);
  const auto sine = [](const Frequency& f, double position, double amplitude, const Addend* addend = nullptr) {
    return Repair<double>(f.turns, PositionOf(position), Wave::kSin, amplitude, addend);
  };
  const std::uint64_t plus = ToBits(0.0);
  const std::uint64_t minus = ToBits(-0.0);
  EXPECT_EQ(ToBits(sine(positive, 0.0, 1.0)), plus);
  EXPECT_EQ(ToBits(sine(positive, -0.0, 1.0)), minus);
  EXPECT_EQ(ToBits(sine(negative, 0.0, 1.0)), minus);
  EXPECT_EQ(ToBits(sine(negative, -0.0, -1.0)), minus);
  EXPECT_EQ(ToBits(sine(zero, 5.0, 1.0)), minus);
  EXPECT_EQ(ToBits(sine(positive, 2.0, -0.0)), minus);
  EXPECT_EQ(ToBits(sine(positive, 4.0, -0.0)), plus);
  EXPECT_EQ(ToBits(Repair<double>(positive.turns, PositionOf(2.0), Wave::kCos, 0.0, nullptr)), minus);
  EXPECT_EQ(ToBits(Repair<float>(positive.turns, PositionOf(-0.0), Wave::kCos, -1.0, nullptr)), ToBits(-1.0f));
  EXPECT_EQ(ToBits(Repair<Half>(zero.turns, PositionOf(3.0), Wave::kCos, 1.0, nullptr)), 0x3C00u);
  // IEEE 754 addition: -0 only from two negative zeros; what cancels is +0.
  const Addend plus_zero = {1.0, 0.0};
  const Addend minus_zero = {1.0, -0.0};
  EXPECT_EQ(ToBits(sine(positive, -0.0, 1.0, &minus_zero)), minus);
  EXPECT_EQ(ToBits(sine(positive, -0.0, 1.0, &plus_zero)), plus);
  EXPECT_EQ(ToBits(sine(positive, 0.0, 1.0, &minus_zero)), plus);
  EXPECT_EQ(ToBits(RoundedSum<float>(-0.5, 0.5, 1.0)), 0u);
  EXPECT_EQ(ToBits(RoundedSum<float>(0.5, -0.5, 1.0)), 0u);
  // Not exact: an underflow keeps the sign of the value.
  EXPECT_EQ(ToBits(Repair<float>(negative.turns, PositionOf(1e-300), Wave::kSin, 1.0, nullptr)), 0x80000000u);
}

TEST(Repair, NonFiniteAddends) {
  const Frequency frequency(1.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ForEachType([&]<class T>(std::type_identity<T>) {
    const auto with = [&](double scale, double x, double position) {
      const Addend addend = {scale, x};
      return ToBits(Repair<T>(frequency.turns, PositionOf(position), Wave::kSin, 1e300, &addend));
    };
    for (const double position : {0.0, 1.0, 1e-300}) {
      EXPECT_EQ(with(2.0, HUGE_VAL, position), InfinityBits<T>());
      EXPECT_EQ(with(-2.0, HUGE_VAL, position), InfinityBits<T>() | SignBit<T>());
      EXPECT_EQ(with(-2.0, -HUGE_VAL, position), InfinityBits<T>());
      EXPECT_EQ(with(0.0, HUGE_VAL, position), QuietNanBits<T>());
      EXPECT_EQ(with(-0.0, -HUGE_VAL, position), QuietNanBits<T>());
      EXPECT_EQ(with(1.0, nan, position), QuietNanBits<T>());
      EXPECT_EQ(with(1.0, -nan, position), QuietNanBits<T>());
      EXPECT_EQ(with(0.0, std::bit_cast<double>(0x7ff0000000000001), position), QuietNanBits<T>());
    }
  });
}

TEST(Repair, WavesAreOddAndEven) {
  std::mt19937_64 random(14);
  const auto frequencies = Frequencies(random);
  for (int i = 0; i < 20000; ++i) {
    const Frequency& frequency = *frequencies[random() % frequencies.size()];
    Position position = ToPosition(RandomPosition(random));
    Position opposite = position;
    opposite.negative = !position.negative;
    const double sine = Repair<double>(frequency.turns, position, Wave::kSin, 1.0, nullptr);
    const double cosine = Repair<double>(frequency.turns, position, Wave::kCos, 1.0, nullptr);
    ASSERT_EQ(ToBits(sine), ToBits(Repair<double>(frequency.turns, opposite, Wave::kSin, -1.0, nullptr)));
    ASSERT_EQ(ToBits(cosine), ToBits(Repair<double>(frequency.turns, opposite, Wave::kCos, 1.0, nullptr)));
    ASSERT_LE(std::fabs(sine), 1.0);
  }
}

TEST(Repair, RoundingModeDoesNotMatter) {
  std::mt19937_64 random(15);
  const Frequency frequency(SpecOf(128), 5);
  for (int i = 0; i < 2000; ++i) {
    const Position position = ToPosition(RandomPosition(random));
    const Addend addend = {1.0, 0.3};
    ForEachType([&]<class T>(std::type_identity<T>) {
      const T nearest = Repair<T>(frequency.turns, position, Wave::kCos, 0.7, &addend);
      for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const T other = Repair<T>(frequency.turns, position, Wave::kCos, 0.7, &addend);
        std::fesetround(FE_TONEAREST);
        ASSERT_EQ(ToBits(nearest), ToBits(other));
      }
    });
  }
}

}  // namespace
}  // namespace posenc::test
