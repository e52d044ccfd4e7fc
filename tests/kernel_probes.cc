// Test room probes: calls the per-target code of room kernels, once per SIMD target.

#include "tests/kernel_probes.h"

#include <cstddef>
#include <cstdint>

#include "src/grid.h"
#include "src/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernel_probes.cc"
#include "hwy/foreach_target.h"
// The line above compiles this file once per target; it stays above highway.h and every -inl.h.
#include "hwy/highway.h"
#include "src/angles-inl.h"
#include "src/positions-inl.h"
#include "src/recurrence-inl.h"
#include "src/sincos-inl.h"
#include "src/sorted-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

// What kernels_test compares with: the tests of these bounds are those of the errors that the rounding test relies on.
static_assert(kEps<float> == 0x1p-49 && kEps<double> == 0x1p-97);
static_assert(kSmallLimit<float> == 0x1p-50 && kSmallLimit<double> == 0x1p-92);
static_assert(kSmallRadians<float> == 0x1p-11 && kSmallRadians<double> == 0x1p-20);

// WavePairs of a vector, to[0 ..].
HWY_INLINE void StoreWaves(Doubles d, Vec first, Vec first_low, Vec second, Vec second_low, test::WavePair* to) {
  constexpr std::size_t kMax = hn::MaxLanes(Doubles());
  HWY_ALIGN_MAX double lanes[4][kMax];
  hn::Store(first, d, lanes[0]);
  hn::Store(first_low, d, lanes[1]);
  hn::Store(second, d, lanes[2]);
  hn::Store(second_low, d, lanes[3]);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) to[i] = {lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]};
}

template <bool kPairs>
void RecurrenceOf(const FrequencyGrid& grid, std::uint64_t step, std::uint64_t offset, std::int64_t super,
                  std::size_t g, test::WavePair* to) {
  HWY_ALIGN_MAX std::uint64_t half_step[3][kGroup];
  HWY_ALIGN_MAX double rotation[kRotationDoubles];
  HWY_ALIGN_MAX double rotation_low[kRotationDoubles];
  Group group{FractionsOfGroup(grid.half, g), grid.rotation + g * kRotationDoubles,
              grid.rotation_low + g * kRotationDoubles, g};
  if (step != 1) {
    for (std::size_t k = 0; k < kGroup; ++k) {
      Uint128 carry = 0;
      for (int i = 0; i < 3; ++i) {
        carry += Uint128{group.half_step.limb[i][k]} * step;
        half_step[i][k] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
    }
    group = {{{half_step[0], half_step[1], half_step[2]}}, rotation, rotation_low, g};
    FillGroupRotations(group.half_step, rotation, rotation_low);
  }
  const Recurrence<kPairs> recurrence(grid, offset);
  Anchors<kPairs> super_anchors, anchors;
  recurrence.Evaluate(group, super, super_anchors);
  for (int block = 0; block < kSuperRows / kBlockRows; ++block) {
    const auto row_of = [&](std::int64_t j, std::size_t k)
                            POSENC_INLINE_LAMBDA { return to + static_cast<std::size_t>(j - super) * kGroup + k; };
    const auto visit =
        [&](test::WavePair* row, std::size_t k, Vec first, Vec first_low, Vec second, Vec second_low)
            POSENC_INLINE_LAMBDA { StoreWaves(Doubles(), first, first_low, second, second_low, row + k); };
    if constexpr (kPairs) {
      recurrence.RotateAnchors(group, block, super_anchors, 0, kGroup, anchors);
      recurrence.ForRows(group, anchors, super + block * kBlockRows, 0, kGroup, 0, kRowRotations, row_of, visit);
    } else {
      const Vec zero = hn::Zero(Doubles());
      recurrence.ForStrips(
          group,
          [&](std::size_t k, Vec& first, Vec& first_low, Vec& second, Vec& second_low) POSENC_INLINE_LAMBDA {
            recurrence.AnchorFrom(group, block, super_anchors, k, first, first_low, second, second_low);
          },
          super + block * kBlockRows, 0, kGroup, 0, kRowRotations, row_of,
          [&](test::WavePair* ahead, test::WavePair* back, std::size_t k, Vec fa, Vec sa, Vec fb, Vec sb)
              POSENC_INLINE_LAMBDA {
                visit(ahead, k, fa, zero, sa, zero);
                visit(back, k, fb, zero, sb, zero);
              });
    }
  }
}
void RecurrenceValues(bool pairs, const FrequencyGrid& grid, std::uint64_t step, std::uint64_t offset,
                      std::int64_t super, std::size_t g, test::WavePair* to) {
  pairs ? RecurrenceOf<true>(grid, step, offset, super, g, to) : RecurrenceOf<false>(grid, step, offset, super, g, to);
}

HWY_INLINE void SinCosOf(bool pairs, const GroupAngles& angles, test::WavePair* to) {
  const Doubles d;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
    const Vec eighths = hn::Load(d, angles.eighths + k);
    const auto quarters = hn::Load(Bits64(), angles.quarters + k);
    Vec sin, cos, sin_low = hn::Zero(d), cos_low = hn::Zero(d);
    if (pairs) {
      SinCosPairs(d, eighths, hn::Load(d, angles.eighths_low + k), quarters, sin, sin_low, cos, cos_low);
    } else {
      SinCos(d, eighths, quarters, sin, cos);
    }
    StoreWaves(d, sin, sin_low, cos, cos_low, to + k);
  }
}

void ListValues(bool pairs, const FrequencyGrid& grid, const ListPosition& position, std::size_t g,
                test::WavePair* to) {
  if (pairs) {
    GroupAngles angles = {};
    AnglesOf<true>(grid, position, g, angles);
    SinCosOf(true, angles, to);
    return;
  }
  const Doubles d;
  RowWaves waves = {};
  Evaluate(grid, position, g, g + 1, waves);
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
    const Vec first = hn::Load(d, waves.first + k), second = hn::Load(d, waves.second + k), zero = hn::Zero(d);
    grid.cos_first ? StoreWaves(d, second, zero, first, zero, to + k)
                   : StoreWaves(d, first, zero, second, zero, to + k);
  }
}

void SortedValues(const FrequencyGrid& grid, std::int64_t span, std::size_t g, test::WavePair* to) {
  const Doubles d;
  SortedAnchors anchors;
  anchors.Fill(grid, g);
  anchors.Anchor(span);
  for (std::size_t place = 0; place < kSpanPositions; ++place, to += kGroup) {
    const RowRotation row = anchors.RotationOf(place);
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
      Vec first, second;
      row.Values(d, k, first, second);
      StoreWaves(d, first, hn::Zero(d), second, hn::Zero(d), to + k);
    }
  }
}

void SinCosValues(bool pairs, const test::ReducedAngle* from, test::WavePair* to) {
  GroupAngles angles;
  for (std::size_t k = 0; k < kGroup; ++k) {
    angles.eighths[k] = from[k].eighths;
    angles.eighths_low[k] = from[k].eighths_low;
    angles.quarters[k] = from[k].quarters << 62 | from[k].quarters >> 2;  // the lower bits do not count
  }
  SinCosOf(pairs, angles, to);
}

void SmallSinCosValues(bool pairs, const double* radians, const double* radians_low, test::WavePair* to) {
  const Doubles d;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
    Vec sin, cos, sin_low = hn::Zero(d), cos_low = hn::Zero(d);
    if (pairs) {
      SmallSinCosPairs(d, hn::LoadU(d, radians + k), hn::LoadU(d, radians_low + k), sin, sin_low, cos, cos_low);
    } else {
      SmallSinCos(d, hn::LoadU(d, radians + k), sin, cos);
    }
    StoreWaves(d, sin, sin_low, cos, cos_low, to + k);
  }
}

template <class T>
void SmallRowOf(const FrequencyGrid& grid, const SmallPosition& position, std::size_t g, test::WavePair* to) {
  const Doubles d;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
    Vec first, first_low, second, second_low, first_limit, second_limit;
    SmallValues<T>(d, grid, g * kGroup + k, position, kEps<T>, first, first_low, second, second_low, first_limit,
                   second_limit);
    StoreWaves(d, first, first_low, second, second_low, to + k);
  }
}
void SmallRowValues(bool pairs, const FrequencyGrid& grid, const ListPosition& position, std::size_t g,
                    test::WavePair* to) {
  const SmallPosition small{position.nearest, position.nearest_low};
  pairs ? SmallRowOf<double>(grid, small, g, to) : SmallRowOf<float>(grid, small, g, to);
}

const char* TargetOfProbes() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {

HWY_EXPORT(RecurrenceValues);
HWY_EXPORT(ListValues);
HWY_EXPORT(SortedValues);
HWY_EXPORT(SmallRowValues);
HWY_EXPORT(SinCosValues);
HWY_EXPORT(SmallSinCosValues);
HWY_EXPORT(TargetOfProbes);

namespace test {

void ProbeRecurrence(bool pairs, const FrequencyGrid& grid, std::uint64_t step, std::uint64_t offset,
                     std::int64_t super, std::size_t group, WavePair* to) {
  HWY_DYNAMIC_DISPATCH(RecurrenceValues)(pairs, grid, step, offset, super, group, to);
}
void ProbeList(bool pairs, const FrequencyGrid& grid, const ListPosition& position, std::size_t group, WavePair* to) {
  HWY_DYNAMIC_DISPATCH(ListValues)(pairs, grid, position, group, to);
}
void ProbeSorted(const FrequencyGrid& grid, std::int64_t span, std::size_t group, WavePair* to) {
  HWY_DYNAMIC_DISPATCH(SortedValues)(grid, span, group, to);
}
void ProbeSmallRow(bool pairs, const FrequencyGrid& grid, const ListPosition& position, std::size_t group,
                   WavePair* to) {
  HWY_DYNAMIC_DISPATCH(SmallRowValues)(pairs, grid, position, group, to);
}
void ProbeSinCos(bool pairs, const ReducedAngle* angles, WavePair* to) {
  HWY_DYNAMIC_DISPATCH(SinCosValues)(pairs, angles, to);
}
void ProbeSmallSinCos(bool pairs, const double* radians, const double* radians_low, WavePair* to) {
  HWY_DYNAMIC_DISPATCH(SmallSinCosValues)(pairs, radians, radians_low, to);
}
const char* ProbeTarget() { return HWY_DYNAMIC_DISPATCH(TargetOfProbes)(); }

}  // namespace test
}  // namespace posenc
#endif  // HWY_ONCE
