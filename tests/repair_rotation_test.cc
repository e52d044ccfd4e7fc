// Tests of RepairRotation, element by element: every size of angle, amplitude and x, sums that cancel, angles that are
// rational numbers, and both stages of precision.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "posenc/posenc.h"
#include "src/repair.h"
#include "src/repair_stage.h"
#include "src/turns.h"
#include "src/wide.h"
#include "tests/repair_reference.h"
#include "tests/rotate_reference.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

// One frequency of a Spec and its reference.
class Rotor {
 public:
  explicit Rotor(double w, double amplitude = 1.0) : Rotor(SpecOfOne(w, amplitude), 0) {}
  Rotor(const Spec& spec, std::size_t k) : reference_(spec), frequency_(spec, k), amplitude_(spec.amplitude), k_(k) {}

  void Turn(const AnyPosition& position) {
    position_ = ToPosition(position);
    std::visit([&](auto p) { reference_.Fill(p); }, position);
  }

  template <class T>
  testing::AssertionResult IsRight(double on_cos, double on_sin) {
    const T want = reference_.Element<T>(k_, on_cos, on_sin);
    const T got = RepairRotation<T>(frequency_.turns, position_, amplitude_, on_cos, on_sin);
    if (!Same(got, want)) return Wrong("RepairRotation", got, want, on_cos, on_sin);
    return StagesAreRight<T>(on_cos, on_sin, want);
  }

  long first_stages() const { return first_stages_; }
  long open_first_stages() const { return open_first_stages_; }

 private:
  static Spec SpecOfOne(double w, double amplitude) {
    Spec spec = SpecOf(2);
    spec.inv_freq = {w};
    spec.amplitude = amplitude;
    return spec;
  }

  // What a stage is certain of is right.
  template <class T>
  testing::AssertionResult StagesAreRight(double on_cos, double on_sin, T want) {
    if (!std::isfinite(on_cos) || !std::isfinite(on_sin)) return testing::AssertionSuccess();
    Factors factors;
    Wide<2>& s = factors.factor[static_cast<std::size_t>(Wave::kSin)];
    Wide<2>& c = factors.factor[static_cast<std::size_t>(Wave::kCos)];
    s = Multiply<2>(WideOf(amplitude_), WideOf(on_sin));
    c = Multiply<2>(WideOf(amplitude_), WideOf(on_cos));
    if (position_.magnitude == 0 || IsZero(frequency_.turns) || (IsZero(c) && IsZero(s))) {
      return testing::AssertionSuccess();
    }
    const Phase phase = PhaseOf(frequency_.turns, position_);
    const Decision first = Stage<kFirstLimbs>(phase, factors, {}, kFormat<T>);
    ++first_stages_;
    if (!first.certain) ++open_first_stages_;
    if (first.certain && first.bits != ToBits(want))
      return Wrong("stage 1", FromBits<T>(static_cast<BitsOf<T>>(first.bits)), want, on_cos, on_sin);
    const Wide<3> angle = ExactAngleOf(frequency_.turns, position_, phase);
    const Decision second = Stage<kSecondLimbs>(phase, factors, angle, kFormat<T>);
    if (!second.certain)
      return Wrong("stage 2 is open", FromBits<T>(static_cast<BitsOf<T>>(second.bits)), want, on_cos, on_sin);
    if (second.bits != ToBits(want))
      return Wrong("stage 2", FromBits<T>(static_cast<BitsOf<T>>(second.bits)), want, on_cos, on_sin);
    return testing::AssertionSuccess();
  }

  template <class T>
  testing::AssertionResult Wrong(const char* what, T got, T want, double on_cos, double on_sin) const {
    return testing::AssertionFailure() << what << ": " << Describe(got) << " want " << Describe(want) << std::hexfloat
                                       << " of " << on_cos << " cos + " << on_sin << " sin, amplitude " << amplitude_
                                       << " position " << position_.magnitude << " * 2^" << std::dec
                                       << position_.exponent;
  }

  RotationReference reference_;
  Frequency frequency_;
  double amplitude_;
  std::size_t k_;
  Position position_;
  long first_stages_ = 0;
  long open_first_stages_ = 0;
};

double Usual(std::mt19937_64& random) { return static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-62; }

TEST(RepairRotation, AnySizeOfEverything) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    double w = FiniteDouble(random);
    while (std::fabs(w) > 0x1p60) w *= 0x1p-64;
    Rotor rotor(w, i % 3 == 0 ? FiniteDouble(random) : 1.0);
    for (int j = 0; j < 4; ++j) {
      rotor.Turn(RandomPosition(random));
      for (int n = 0; n < 4; ++n) {
        const double x = n % 2 == 0 ? FiniteDouble(random) : Usual(random);
        const double y = n % 3 == 0 ? std::ldexp(Usual(random), std::ilogb(x)) : FiniteDouble(random);
        ForEveryType([&]<class T>() { EXPECT_TRUE(rotor.IsRight<T>(x, y)); });
      }
    }
  }
}

TEST(RepairRotation, UsualElements) {
  std::mt19937_64 random(2);
  const Spec spec = SpecOf(64);
  long stages = 0, open = 0;
  for (std::size_t k = 0; k < 32; ++k) {
    Rotor rotor(spec, k);
    for (int j = 0; j < 6; ++j) {
      rotor.Turn(static_cast<std::int64_t>(random() % 1000000));
      for (int n = 0; n < 10; ++n) {
        const double x = Usual(random), y = Usual(random);
        ForEveryType([&]<class T>() { EXPECT_TRUE(rotor.IsRight<T>(x, y)); });
      }
    }
    stages += rotor.first_stages();
    open += rotor.open_first_stages();
  }
  EXPECT_EQ(open, 0) << "of " << stages;  // the first stage is enough unless waves cancel
}

// on_sin = -on_cos * cot to nearest, and the doubles around it: the sum is what that rounding left.
TEST(RepairRotation, WavesThatCancel) {
  std::mt19937_64 random(3);
  const Spec spec = SpecOf(32);
  long open = 0;
  for (std::size_t k = 0; k < 16; ++k) {
    Rotor rotor(spec, k);
    Reference waves(spec);
    Real sin(200), cos(200), value(200);
    for (const std::int64_t p : {std::int64_t{1}, std::int64_t{77}, std::int64_t{1} << 45, INT64_MAX}) {
      rotor.Turn(p);
      waves.SinCos(p, k, sin, cos);
      for (int n = 0; n < 12; ++n) {
        const double x = Usual(random);
        mpfr_set_d(value, -x, MPFR_RNDN);
        mpfr_mul(value, value, cos, MPFR_RNDN);
        mpfr_div(value, value, sin, MPFR_RNDN);
        const double y = mpfr_get_d(value, MPFR_RNDN);
        ForEveryType([&]<class T>() {
          EXPECT_TRUE(rotor.IsRight<T>(x, y));
          EXPECT_TRUE(rotor.IsRight<T>(x, std::nextafter(y, 4.0)));
        });
      }
    }
    open += rotor.open_first_stages();
  }
  EXPECT_LE(open, 2);  // 2^-53 of the waves is left: 128 bits still decide, but for one double in some thousands
}

// cos is 1 and sin the angle but for terms that only the sign of what is left out shows: sums that are ties of T, exact
// values of T, or zero, when the angle is taken as a rational number.
TEST(RepairRotation, TinyAnglesThatAreRational) {
  long open = 0;
  for (const int exponent : {-20, -61, -80, -130, -200, -300, -900}) {
    for (const double w : {1.0, -1.0, 3.0, 0.75}) {
      Rotor rotor(w);
      rotor.Turn(std::ldexp(1.0, exponent));
      const double angle = std::ldexp(w, exponent);
      ForEveryType([&]<class T>() {
        const double half = std::ldexp(1.0, -Format<T>::kPrecision);
        for (const double sign : {1.0, -1.0}) {
          EXPECT_TRUE(rotor.IsRight<T>(sign, 0.0));         // 1 less a little
          EXPECT_TRUE(rotor.IsRight<T>(1.0 + half, sign));  // a tie, unless T is double, and sine decides
          EXPECT_TRUE(rotor.IsRight<T>(1.0 + half, 0.0));   // a tie, and cosine decides
          EXPECT_TRUE(rotor.IsRight<T>(1.0, sign * half / angle));
          EXPECT_TRUE(rotor.IsRight<T>(1.0, sign / angle));  // 0 or 2, but for terms of third order
          EXPECT_TRUE(rotor.IsRight<T>(0.0, sign * (1.0 + half) / angle));
          EXPECT_TRUE(rotor.IsRight<T>(0.0, sign));
          EXPECT_TRUE(rotor.IsRight<T>(std::ldexp(sign, -1060), 1.0));
        }
      });
      open += rotor.open_first_stages();
    }
  }
  EXPECT_GT(open, 0);  // the cases are those that need the exact angle
}

TEST(RepairRotation, ZerosAndWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {0.0, -0.0, 1.0, -2.5, infinity, -infinity, std::nan(""), -std::nan("")};
  for (const double amplitude : {1.0, -0.5, 0.0, -0.0}) {
    for (const double w : {1.0, -0.7, 0.0, -0.0, 1e-300}) {
      Rotor rotor(w, amplitude);
      for (const double position : {1.0, 2.0, 4.0, 5.5, -3.0, 0.0, -0.0}) {
        rotor.Turn(position);
        for (const double x : values) {
          for (const double y : values) {
            ForEveryType([&]<class T>() { EXPECT_TRUE(rotor.IsRight<T>(x, y)); });
          }
        }
      }
    }
  }
}

// The sum itself, of terms that overlap, cancel or lie far apart.
TEST(RepairRotation, ApartSumIsTheExactSumRoundedToOdd) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    Wide<3> term[5];
    ApartSum<3> apart;
    Real sum(20000), value(200), rounded(192);
    const mpfr_ptr s = sum;
    mpfr_set_zero(s, 1);
    for (int t = 0; t < 5; ++t) {
      std::uint64_t limbs[2] = {random(), random()};
      if (random() % 4 == 0) limbs[0] = 0;
      if (t > 0 && random() % 3 == 0) {  // cancels one before, wholly or but for its last limb
        term[t] = Negated(term[t - 1]);
        if (random() % 2 == 0) term[t].limb[1] ^= 1;
      } else {
        term[t] =
            Normalized<3>(limbs, static_cast<std::int32_t>(random() % 7) * (i % 2 == 0 ? 7 : 63), random() % 2 == 0);
      }
      apart.Add(term[t]);
      ToReal(term[t], value);
      mpfr_add(s, s, static_cast<mpfr_srcptr>(value), MPFR_RNDN);  // exact
    }
    Real zero(2);
    mpfr_set_zero(zero, 1);
    AddOdd(rounded, s, zero);
    Real wide(192);
    ToReal(apart.RoundedToOdd(), wide);
    ASSERT_EQ(mpfr_cmp(static_cast<mpfr_srcptr>(wide), static_cast<mpfr_srcptr>(rounded)), 0) << i;
  }
}

}  // namespace
}  // namespace posenc::test
