// Tests at the integer positions whose angles come nearest to multiples of pi and of pi/2: there sines and cosines are
// tiny, and an angle reduced with too few digits shows at once. The positions are the denominators of the convergents
// of w_k / pi and of 2 w_k / pi.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

// Denominators below 2^63 of the convergents of ratio.
std::vector<std::int64_t> Denominators(mpfr_srcptr ratio) {
  Real rest(Reference::kFrequencyBits);
  Real whole(Reference::kFrequencyBits);
  mpfr_set(rest, ratio, MPFR_RNDN);
  std::vector<std::int64_t> denominators;
  // q_n = a_n q_(n-1) + q_(n-2); the expansion itself loses about two bits a bit of q, of which there are enough.
  __extension__ typedef unsigned __int128 Wide;
  Wide before = 1;
  Wide last = 0;
  for (;;) {
    mpfr_floor(whole, rest);
    const std::uintmax_t a = mpfr_get_uj(whole, MPFR_RNDN);
    const Wide next = a * last + before;
    if (next >= Wide{1} << 63) return denominators;
    denominators.push_back(static_cast<std::int64_t>(next));
    before = last;
    last = next;
    mpfr_sub(rest, rest, whole, MPFR_RNDN);
    if (mpfr_zero_p(static_cast<mpfr_srcptr>(rest))) return denominators;
    mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
    if (mpfr_cmp_ui(static_cast<mpfr_srcptr>(rest), std::uintmax_t{1} << 62) > 0) return denominators;
  }
}

struct Hard {
  std::int64_t position;
  std::size_t k;
};

std::vector<Hard> HardPositions(const Reference& reference) {
  std::vector<Hard> hard;
  Real ratio(Reference::kFrequencyBits);
  Real pi(Reference::kFrequencyBits);
  mpfr_const_pi(pi, MPFR_RNDN);
  for (std::size_t k = 0; k < reference.frequencies(); ++k) {
    for (const unsigned factor : {1u, 2u}) {
      mpfr_mul_ui(ratio, reference.Frequency(k), factor, MPFR_RNDN);
      mpfr_div(ratio, ratio, pi, MPFR_RNDN);
      for (const std::int64_t position : Denominators(ratio)) {
        hard.push_back({position, k});
        hard.push_back({-position, k});
      }
    }
  }
  return hard;
}

class NearPi : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(NearPi);

TEST_P(NearPi, ConvergentsAreCorrectlyRounded) {
  for (const Spec& spec : {SpecOf(512), SpecOf(128, 500000.0)}) {
    Reference reference(spec);
    const Encoder encoder = MakeOrFail(spec);
    const std::vector<Hard> hard = HardPositions(reference);
    ASSERT_GT(hard.size(), 40 * reference.frequencies());
    Real sin(Reference::kValueBits);
    Real cos(Reference::kValueBits);
    double least = 1;
    for (const Hard& at : hard) {
      reference.SinCos(at.position, at.k, sin, cos);
      least = std::min(least, std::abs(mpfr_get_d(sin, MPFR_RNDN)));
      ForEveryType([&]<class T>() {
        std::vector<T> row = EncodeTable<T>(encoder, at.position, 1);
        ASSERT_EQ(ToBits(row[2 * at.k]), ToBits(RoundOnce<T>(sin))) << "sine " << at.k << " of " << at.position;
        ASSERT_EQ(ToBits(row[2 * at.k + 1]), ToBits(RoundOnce<T>(cos))) << "cosine " << at.k << " of " << at.position;
      });
    }
    EXPECT_LT(least, 0x1p-62) << "the positions are not hard";
  }
}

// The smallest sines and cosines of integers in ranges that people use, with the bits that they have.
TEST_P(NearPi, KnownRecordsAreCorrectlyRounded) {
  const struct {
    std::int64_t position;
    bool sine;
    double magnitude;
  } records[] = {{833719, true, 2.31e-6},  {1068966896, true, 1.045e-9}, {6134899525417045, true, 9.50e-17},
                 {573204, false, 2.94e-7}, {534483448, false, 5.22e-10}, {5920787228742393, false, 1.64e-16}};
  const Encoder encoder = MakeOrFail(SpecOf(2));
  Reference reference(SpecOf(2));
  for (const auto& record : records) {
    ForEveryType([&]<class T>() {
      const std::vector<T> row = EncodeTable<T>(encoder, record.position, 1);
      EXPECT_TRUE(SameRows(row, reference.Range<T>(record.position, 1), 2)) << record.position;
      if (sizeof(T) >= 4) {
        EXPECT_NEAR(std::abs(ToDouble(row[record.sine ? 0 : 1])), record.magnitude, record.magnitude * 3e-3);
      }
    });
  }
}

}  // namespace
}  // namespace posenc::test
