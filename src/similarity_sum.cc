// Room similarity: frequencies, an amplitude and an offset go in, the sum of cosines comes out. Integers only.

#include "src/similarity_sum.h"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/repair.h"
#include "src/repair_stage.h"
#include "src/turns.h"
#include "src/wide.h"

namespace posenc {
namespace {

constexpr int kPartLimbs = kSecondLimbs;

// A sum in two's complement: one limb of integers, which count at most 2^26 cosines, above 768 bits of fraction.
constexpr int kFractionLimbs = 2 * kPartLimbs;
constexpr int kSumLimbs = kFractionLimbs + 1;

// sum += part, or -= part. |part| < 1; bits below 2^-768 are dropped.
void AddTo(std::uint64_t (&sum)[kSumLimbs], const Wide<kPartLimbs>& part, bool subtract) noexcept {
  std::uint64_t term[kSumLimbs] = {};
  for (int i = 0; i < kPartLimbs; ++i) term[kFractionLimbs - kPartLimbs + i] = part.limb[i];
  ShiftRight(term, -static_cast<std::int64_t>(part.exponent));
  if (subtract) {
    SubtractLimbs(sum, term);
  } else {
    AddLimbs(sum, term);
  }
}

void AddOne(std::uint64_t (&sum)[kSumLimbs], bool subtract) noexcept {
  sum[kFractionLimbs] += subtract ? ~std::uint64_t{0} : 1;
}

// The cosine of a phase is a sine of the reduced angle x, or 1 less a part that is x^2/2 - ... : see repair_stage.h,
// which has the bound, 61 u of the part with u = 2^-384, for the x computed here as there. The turns are within 2^-330
// relative, so the angle is within 2 pi * 2^(m - 330) where |offset * turns| < 2^m. In all a cosine is within
// 2^-378 + 2^(m - 327.3) + 2^-768, below 2^(m - 326) for m >= -50; below, the cosine is near 1 and all errors are
// relative to what it lacks of it.
void AddCosine(std::uint64_t (&sum)[kSumLimbs], const Turns& turns, const Position& offset) noexcept {
  if (IsZero(turns)) return AddOne(sum, false);
  const Phase phase = PhaseOf(turns, offset);
  const Reduced reduced = ReducedOf(phase, Wave::kCos);
  if (reduced.cosine) AddOne(sum, reduced.negative);
  if (IsZero(phase.rest)) return;
  Wide<kPartLimbs> x = Multiply<kPartLimbs>(Resized<kPartLimbs>(phase.rest), Resized<kPartLimbs>(kTwoPi));
  x.negative = false;
  AddTo(sum, SeriesOf(x, reduced.cosine ? 2 : 1), reduced.negative != reduced.cosine);
}

}  // namespace

double SumOfCosines(const Turns* turns, std::size_t count, const Position& offset, double amplitude) noexcept {
  std::uint64_t sum[kSumLimbs] = {};
  if (offset.magnitude == 0) {
    sum[kFractionLimbs] = count;
  } else {
    for (std::size_t k = 0; k < count; ++k) AddCosine(sum, turns[k], offset);
  }
  const bool negative = sum[kFractionLimbs] >> 63 != 0;
  if (negative) NegateLimbs(sum);
  const Wide<1> exact_amplitude = WideOf(amplitude);
  const Wide<2> square = Multiply<2>(exact_amplitude, exact_amplitude);
  const Wide<kSumLimbs + 2> result = Multiply<kSumLimbs + 2>(Normalized<kSumLimbs>(sum, 64, negative), square);
  return IsZero(result) ? 0.0 : std::bit_cast<double>(RoundedTo(result, kFormat<double>));
}

}  // namespace posenc
