// Tests of room kernels before the last rounding: the errors of values against MPFR stay below the bounds that the
// comments of src/ derive and that the rounding test relies on. Prints the largest errors of every target, in units of
// 2^-53 for doubles and of 2^-106 for pairs of doubles; errors relative to a value are in the same units of it.
//
// A reference value costs some microseconds, whatever the target: it is computed once for all of them.

#include "src/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/grid.h"
#include "tests/kernel_probes.h"
#include "tests/list_positions.h"
#include "tests/reference.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

// Pairs are compared to within 2^-106 of a value, and errors of 2^-13 of that are still seen.
constexpr mpfr_prec_t kReferenceBits = 192;

__extension__ using Int128 = __int128;

FrequencyGrid GridOf(const Spec& spec) {
  FrequencyGrid grid;
  EXPECT_EQ(FillGrid(spec, grid), Error::kNone);
  FillRotations(grid);
  return grid;
}

// What every target gives for the same call of a probe.
class OnAllTargets {
 public:
  struct Values {
    std::string target;
    std::vector<WavePair> doubles, pairs;
  };

  // probe(pairs, to) fills count waves.
  template <class Probe>
  OnAllTargets(std::size_t count, const Probe& probe) {
    ForEveryTarget([&] {
      ASSERT_STREQ(ProbeTarget(), ActiveTarget());
      Values values{ProbeTarget(), std::vector<WavePair>(count), std::vector<WavePair>(count)};
      probe(false, values.doubles.data());
      probe(true, values.pairs.data());
      values_.push_back(std::move(values));
    });
    EXPECT_EQ(values_.size(), RunnableTargets().size());
  }

  const std::vector<Values>& values() const { return values_; }

 private:
  std::vector<Values> values_;
};

// The largest errors of every target, and the bounds that none may exceed.
class LargestErrors {
 public:
  // In the units of the file's first comment.
  LargestErrors(std::string name, double bound, double pairs_bound)
      : name_(std::move(name)), bound_{bound, pairs_bound} {}
  LargestErrors(const LargestErrors&) = delete;
  LargestErrors& operator=(const LargestErrors&) = delete;

  ~LargestErrors() {
    for (const auto& [target, largest] : largest_) {
      const std::string label = name_ + " " + target;
      std::printf("%-42s %8.4f u of %5.1f   pairs %9.4f u^2 (2^%.1f) of %5.0f\n", label.c_str(), largest[0].error,
                  bound_[0], largest[1].error, std::log2(largest[1].error) - 106, bound_[1]);
      for (const std::size_t pairs : Sizes{0, 1}) {
        std::string key = name_ + (pairs != 0 ? "_pairs_" : "_") + target;
        std::replace(key.begin(), key.end(), ' ', '_');
        testing::Test::RecordProperty(key, std::to_string(largest[pairs].error));
        EXPECT_LE(largest[pairs].error, bound_[pairs])
            << label << (pairs != 0 ? ", pairs, at " : ", at ") << largest[pairs].where;
      }
    }
    EXPECT_EQ(largest_.size(), RunnableTargets().size()) << name_;
  }

  // Notes |high + low - exact| in units of unit.
  void Note(const std::string& target, bool pairs, double unit, double high, double low, mpfr_srcptr exact,
            const std::string& where) {
    mpfr_sub_d(difference_, exact, high, MPFR_RNDN);
    mpfr_sub_d(difference_, difference_, low, MPFR_RNDN);
    mpfr_div_d(difference_, difference_, unit, MPFR_RNDN);
    mpfr_mul_2ui(difference_, difference_, pairs ? 106 : 53, MPFR_RNDN);
    const double error = std::fabs(mpfr_get_d(difference_, MPFR_RNDN));
    Largest& largest = largest_[target][pairs ? 1 : 0];
    if (error <= largest.error || std::isnan(largest.error)) return;  // a NaN is kept
    largest = {error, where};
  }

 private:
  struct Largest {
    double error = 0.0;
    std::string where;
  };

  std::string name_;
  std::array<double, 2> bound_;  // of doubles, of pairs
  Real difference_{kReferenceBits};
  std::map<std::string, std::array<Largest, 2>> largest_;  // for each target
};

// Both waves of every target against their exact values: errors in units of scale, a power of two.
void NoteWaves(LargestErrors& errors, const OnAllTargets& got, std::size_t at, mpfr_srcptr first, mpfr_srcptr second,
               const std::string& where, double scale = 1.0) {
  for (const auto& values : got.values()) {
    for (const bool pairs : {false, true}) {
      const WavePair& wave = (pairs ? values.pairs : values.doubles)[at];
      errors.Note(values.target, pairs, scale, wave.first, wave.first_low, first, where);
      errors.Note(values.target, pairs, scale, wave.second, wave.second_low, second, where);
    }
  }
}

// The same for sines of small angles, relative to their size, and their cosines.
void NoteSmall(LargestErrors& sines, LargestErrors& cosines, const OnAllTargets& got, std::size_t at, bool pairs,
               mpfr_srcptr sin, mpfr_srcptr cos, const std::string& where) {
  const double size = mpfr_get_d(sin, MPFR_RNDN);
  for (const auto& values : got.values()) {
    const WavePair& wave = (pairs ? values.pairs : values.doubles)[at];
    sines.Note(values.target, pairs, size, wave.first, wave.first_low, sin, where);
    cosines.Note(values.target, pairs, 1.0, wave.second, wave.second_low, cos, where);
  }
}

// Specs whose frequencies and scales differ; amplitude 1.
std::vector<Spec> KernelSpecs() {
  std::vector<Spec> specs = {SpecOf(512), SpecOf(64), SpecOf(128, 500000.0), SpecOf(64), SpecOf(128)};
  specs[3].position_scale = 6.283185307179586;
  specs[4].position_scale = -0.75;
  specs[4].cos_first = true;
  return specs;
}

// The same, and an amplitude just below the power of two that its errors are scaled by.
std::vector<Spec> ScaledSpecs() {
  std::vector<Spec> specs = KernelSpecs();
  specs.push_back(SpecOf(64));
  specs.back().amplitude = -0x1.fffffffffffffp2;
  return specs;
}

TEST(KernelErrors, OfTheRecurrence) {
  // 2^-49 and 2^-98, for amplitude 1: what kEps allows, and half of it.
  LargestErrors errors("recurrence", 16, 256);
  std::mt19937_64 random(20260101);
  Real sin(kReferenceBits), cos(kReferenceBits);
  for (const Spec& spec : ScaledSpecs()) {
    const FrequencyGrid grid = GridOf(spec);
    Reference reference(spec);
    for (const std::size_t step : Sizes{1, 2, 7, 1000003}) {
      std::vector<std::int64_t> positions = {
          0,         1,         -1,         std::int64_t{1} << 20, std::int64_t{1} << 31,
          INT64_MAX, INT64_MIN, -INT64_MAX, std::int64_t{1} << 53, std::int64_t{1} << 62};
      for (int i = 0; i < 4; ++i) positions.push_back(static_cast<std::int64_t>(random()) >> (random() % 60));
      for (const std::int64_t position : positions) {
        const std::uint64_t offset = position == 0 ? 0 : random() % step;
        const auto stride = static_cast<std::int64_t>(step);
        const std::int64_t row = position / stride - (position % stride < 0 ? 1 : 0);
        const std::int64_t super = row & ~std::int64_t{kSuperRows - 1};
        const std::size_t group = random() % grid.groups;
        const OnAllTargets got(kSuperRows * kGroup, [&](bool pairs, WavePair* to) {
          ProbeRecurrence(pairs, grid, step, offset, super, group, to);
        });
        const std::size_t frequencies = std::min(kGroup, grid.shape.sines - group * kGroup);
        const std::string where =
            Describe(spec) + " step " + std::to_string(step) + " near " + std::to_string(position);
        for (int j = 0; j < kSuperRows; ++j) {
          const Int128 exact = (Int128{super} + j) * Int128{stride} + static_cast<std::int64_t>(offset);
          if (exact < INT64_MIN || exact > INT64_MAX) continue;
          for (int i = 0; i < 4; ++i) {
            const std::size_t k = random() % frequencies;
            reference.SinCos(static_cast<std::int64_t>(exact), group * kGroup + k, sin, cos);
            mpfr_mul_d(sin, sin, spec.amplitude, MPFR_RNDN);
            mpfr_mul_d(cos, cos, spec.amplitude, MPFR_RNDN);
            NoteWaves(errors, got, static_cast<std::size_t>(j) * kGroup + k, spec.cos_first ? cos : sin,
                      spec.cos_first ? sin : cos, where, grid.eps_scale);
          }
        }
      }
    }
  }
}

TEST(KernelErrors, OfSortedLists) {
  // 2^-49, for amplitude 1: what kEps allows. There are no pairs: the probe gives none.
  LargestErrors errors("sorted lists", 16, 0);
  std::mt19937_64 random(20260106);
  Real sin(kReferenceBits), cos(kReferenceBits);
  for (const Spec& spec : ScaledSpecs()) {
    const FrequencyGrid grid = GridOf(spec);
    Reference reference(spec);
    std::vector<std::int64_t> positions = {0, -1, INT64_MAX, INT64_MIN, std::int64_t{1} << 31, std::int64_t{1} << 53};
    for (int i = 0; i < 6; ++i) positions.push_back(static_cast<std::int64_t>(random()) >> (random() % 60));
    for (const std::int64_t position : positions) {
      const std::int64_t span = position & ~static_cast<std::int64_t>(kSpanPositions - 1);
      const std::size_t group = random() % grid.groups;
      const OnAllTargets got(kSpanPositions * kGroup, [&](bool pairs, WavePair* to) {
        if (!pairs) ProbeSorted(grid, span, group, to);
      });
      for (std::size_t place = 0; place < kSpanPositions; ++place) {
        const std::size_t k = random() % std::min(kGroup, grid.shape.sines - group * kGroup);
        reference.SinCos(span + static_cast<std::int64_t>(place), group * kGroup + k, sin, cos);
        mpfr_mul_d(sin, sin, spec.amplitude, MPFR_RNDN);
        mpfr_mul_d(cos, cos, spec.amplitude, MPFR_RNDN);
        for (const auto& values : got.values()) {
          const WavePair& wave = values.doubles[place * kGroup + k];
          const std::string where = Describe(spec) + " place " + std::to_string(place) + " of " + std::to_string(span);
          errors.Note(values.target, false, grid.eps_scale, wave.first, 0.0, spec.cos_first ? cos : sin, where);
          errors.Note(values.target, false, grid.eps_scale, wave.second, 0.0, spec.cos_first ? sin : cos, where);
        }
      }
    }
  }
}

TEST(KernelErrors, OfTheListKernel) {
  LargestErrors errors("list", 16, 256);
  std::mt19937_64 random(20260102);
  Real sin(kReferenceBits), cos(kReferenceBits);
  long split = 0, not_split = 0;
  std::vector<Spec> specs = KernelSpecs();
  specs.push_back(SpecOf(64));
  specs.back().position_scale = 0x1p60;  // angles that are large at the smallest positions
  for (const Spec& spec : specs) {
    const FrequencyGrid grid = GridOf(spec);
    Reference reference(spec);
    std::vector<double> positions = {0.5,    -0.25,   1e5 + 0.1, 0x1.fffffffffffffp62, 0x1p63, -0x1p63,
                                     0x1p62, 0x1p-64, 0x1p-70};
    for (int i = 0; i < 60; ++i) {
      const double sign = random() % 2 == 0 ? 1.0 : -1.0;
      positions.push_back(sign * std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52,
                                            static_cast<int>(random() % 133) - 70));
    }
    for (const double position : positions) {
      const ListPosition list = ListPositionOf(position);
      ++(list.is_split ? split : not_split);
      const std::size_t group = random() % grid.groups;
      const OnAllTargets got(kGroup, [&](bool pairs, WavePair* to) { ProbeList(pairs, grid, list, group, to); });
      for (std::size_t k = 0; k < std::min(kGroup, grid.shape.sines - group * kGroup); ++k) {
        reference.SinCos(position, group * kGroup + k, sin, cos);
        NoteWaves(errors, got, k, sin, cos, Describe(spec) + " position " + std::to_string(position));
      }
    }
  }
  EXPECT_GT(split, 100);
  EXPECT_GT(not_split, 100);
}

// kGroup angles at a time, all that GroupAngles may hold: from -1 to 1 eighths, ends and zero, of every size.
std::vector<ReducedAngle> RandomAngles(std::mt19937_64& random) {
  std::vector<ReducedAngle> angles(kGroup);
  for (ReducedAngle& angle : angles) {
    const int size = random() % 2 == 0 ? 0 : static_cast<int>(random() % 62);
    const double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63 - size);
    angle.eighths = random() % 64 == 0 ? std::copysign(1.0, value) : random() % 64 == 0 ? 0.0 : value;
    // At most half a unit of the last place of eighths, and a multiple of 2^-125.
    const double unit = std::nextafter(std::fabs(angle.eighths), 2.0) - std::fabs(angle.eighths);
    const double low = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63 * 0.5 * unit;
    angle.eighths_low = std::fabs(angle.eighths) == 1.0 ? -std::copysign(low * 0.25, angle.eighths) : low;
    angle.quarters = random() >> (random() % 64);
  }
  return angles;
}

// Sine and cosine of an angle, exactly as it is given.
void ExactSinCos(const ReducedAngle& angle, bool pairs, mpfr_ptr sin, mpfr_ptr cos) {
  Real radians(2 * kReferenceBits), quarter_pi(2 * kReferenceBits);
  mpfr_const_pi(quarter_pi, MPFR_RNDN);
  mpfr_div_2ui(quarter_pi, quarter_pi, 2, MPFR_RNDN);
  mpfr_set_d(radians, angle.eighths, MPFR_RNDN);
  if (pairs) mpfr_add_d(radians, radians, angle.eighths_low, MPFR_RNDN);
  mpfr_mul(radians, radians, quarter_pi, MPFR_RNDN);
  mpfr_mul_ui(quarter_pi, quarter_pi, 2 * (angle.quarters % 4), MPFR_RNDN);
  mpfr_add(radians, radians, quarter_pi, MPFR_RNDN);
  mpfr_sin_cos(sin, cos, radians, MPFR_RNDN);
}

TEST(KernelErrors, OfSinCos) {
  LargestErrors errors("SinCos", 1.5, 32);  // pairs: 2^-101
  std::mt19937_64 random(20260103);
  Real sin(kReferenceBits), cos(kReferenceBits);
  for (int round = 0; round < 1500; ++round) {
    const std::vector<ReducedAngle> angles = RandomAngles(random);
    const OnAllTargets got(kGroup, [&](bool pairs, WavePair* to) { ProbeSinCos(pairs, angles.data(), to); });
    for (std::size_t k = 0; k < kGroup; ++k) {
      for (const bool pairs : {false, true}) {
        ExactSinCos(angles[k], pairs, sin, cos);
        for (const auto& values : got.values()) {
          const WavePair& wave = (pairs ? values.pairs : values.doubles)[k];
          const std::string where = std::to_string(angles[k].eighths);
          errors.Note(values.target, pairs, 1.0, wave.first, wave.first_low, sin, where);
          errors.Note(values.target, pairs, 1.0, wave.second, wave.second_low, cos, where);
        }
      }
    }
  }
}

// A size with random bits in [2^(exponent-1), 2^exponent).
double RandomSize(std::mt19937_64& random, int exponent) {
  return std::ldexp(static_cast<double>((random() >> 11) | std::uint64_t{1} << 52), exponent - 53);
}

TEST(KernelErrors, OfSmallSinCos) {
  // Pairs: 2^-92.7 and 2^-103.
  LargestErrors sines("SmallSinCos sine", 1.5, 10000), cosines("SmallSinCos cosine", 1.5, 8);
  std::mt19937_64 random(20260104);
  Real sin(kReferenceBits), cos(kReferenceBits), radians(2 * kReferenceBits);
  for (const bool pairs : {false, true}) {
    const int largest = pairs ? -20 : -8;
    for (int round = 0; round < 2000; ++round) {
      double high[kGroup], low[kGroup];
      for (std::size_t k = 0; k < kGroup; ++k) {
        // Near the largest more often; 2^-900 is the least that is not left to repair.
        const int exponent = largest - static_cast<int>(random() % 4 != 0 ? random() % 4 : random() % 870);
        high[k] = RandomSize(random, exponent) * (random() % 2 == 0 ? 1.0 : -1.0);
        low[k] = (random() % 2 == 0 ? 1.0 : -1.0) * RandomSize(random, exponent - 54 - static_cast<int>(random() % 4));
      }
      const OnAllTargets got(kGroup, [&](bool of_pairs, WavePair* to) { ProbeSmallSinCos(of_pairs, high, low, to); });
      for (std::size_t k = 0; k < kGroup; ++k) {
        mpfr_set_d(radians, high[k], MPFR_RNDN);
        if (pairs) mpfr_add_d(radians, radians, low[k], MPFR_RNDN);
        mpfr_sin_cos(sin, cos, radians, MPFR_RNDN);
        NoteSmall(sines, cosines, got, k, pairs, sin, cos, std::to_string(std::log2(std::fabs(high[k]))));
      }
    }
  }
}

// Rows of small angles: position, radians, their product and the series.
TEST(KernelErrors, OfSmallRows) {
  // Sines: 4 u and 2^-92.7 of their size. Cosines: as other values.
  LargestErrors sines("small rows sine", 4, 10000), cosines("small rows cosine", 16, 256);
  std::mt19937_64 random(20260105);
  Real sin(kReferenceBits), cos(kReferenceBits);
  const auto note = [&](const Spec& spec, const FrequencyGrid& grid, Reference& reference, bool pairs,
                        std::size_t group, const ListPosition& position, const auto& exact_position) {
    ASSERT_LT(std::fabs(position.nearest) * grid.most_radians[group], pairs ? 0x1p-20 : 0x1p-8);
    const OnAllTargets got(kGroup,
                           [&](bool of_pairs, WavePair* to) { ProbeSmallRow(of_pairs, grid, position, group, to); });
    for (std::size_t k = 0; k < std::min(kGroup, grid.shape.sines - group * kGroup); ++k) {
      reference.SinCos(exact_position, group * kGroup + k, sin, cos);
      NoteSmall(sines, cosines, got, k, pairs, sin, cos, Describe(spec));
    }
  };
  for (Spec spec : KernelSpecs()) {
    spec.cos_first = false;
    const FrequencyGrid grid = GridOf(spec);
    Reference reference(spec);
    for (int round = 0; round < 80; ++round) {
      const bool pairs = round / 2 % 2 != 0;
      const std::size_t group = random() % grid.groups;
      const int exponent = (pairs ? -20 : -8) - std::ilogb(grid.most_radians[group]) - 1;
      const double size = RandomSize(random, exponent - static_cast<int>(random() % 4 == 0 ? random() % 50 : 0));
      const ListPosition position = ListPositionOf(round % 2 == 0 ? size : -size);
      note(spec, grid, reference, pairs, group, position, position.nearest);
    }
    // Integers that no double holds: of frequencies so low that their angles are small.
    spec.position_scale = 0x1p-90;
    const FrequencyGrid low_grid = GridOf(spec);
    Reference low_reference(spec);
    for (int round = 0; round < 40; ++round) {
      const auto integer = static_cast<std::int64_t>(random()) | 1;
      note(spec, low_grid, low_reference, round % 2 != 0, random() % low_grid.groups, ListPositionOf(integer), integer);
    }
  }
}

}  // namespace
}  // namespace posenc::test
