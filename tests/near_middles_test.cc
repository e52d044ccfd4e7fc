// Tests of elements next to where the rounding changes: of frequencies and of sums that put them there on purpose, on
// every target, for every amplitude that scales the errors. Random elements come that near once in a million.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

template <class T>
T Rounded(double value) {
  Real exact(53);
  mpfr_set_d(exact, value, MPFR_RNDN);
  return RoundOnce<T>(exact);
}

template <class T>
T Next(T value) {
  return FromBits<T>(static_cast<BitsOf<T>>(ToBits(value) + 1));
}

// Half way between a positive element, narrower than a double, and the next one.
template <class T>
double MiddleAbove(T below) {
  const double at = ToDouble(below);
  return at + (ToDouble(Next(below)) - at) / 2;
}

// Frequencies of which each puts its sine or its cosine in one of the rows from start on next to a middle of T: as near
// as the nearest double to the frequency comes, which is some 2^-53 of the angle.
template <class T>
std::vector<double> FrequenciesNextToMiddles(std::size_t count, double amplitude, std::int64_t start, std::size_t rows,
                                             std::mt19937_64& random) {
  std::vector<double> frequencies;
  while (frequencies.size() < count) {
    const std::int64_t position = start + static_cast<std::int64_t>(random() % rows);
    const double size = std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, -static_cast<int>(random() % 10));
    const double wave = MiddleAbove(Rounded<T>(std::fabs(amplitude) * size / 2)) / std::fabs(amplitude);
    if (position == 0 || wave >= 1.0) continue;
    Real angle(200), turn(200);
    mpfr_set_d(angle, wave, MPFR_RNDN);
    random() % 2 == 0 ? mpfr_asin(angle, angle, MPFR_RNDN) : mpfr_acos(angle, angle, MPFR_RNDN);
    mpfr_const_pi(turn, MPFR_RNDN);
    mpfr_mul_ui(turn, turn, 2 * (random() % 4), MPFR_RNDN);
    mpfr_add(angle, angle, turn, MPFR_RNDN);
    mpfr_div_si(angle, angle, std::abs(position), MPFR_RNDN);
    frequencies.push_back(mpfr_get_d(angle, MPFR_RNDN));
  }
  return frequencies;
}

template <class T>
void ExpectEncodings(const Spec& spec, std::int64_t start, std::size_t rows, std::mt19937_64& random) {
  SCOPED_TRACE(testing::Message() << Format<T>::kName << " " << Describe(spec) << " start " << start);
  const Encoder encoder = MakeOrFail(spec);
  const std::vector<T> want = Reference(spec).Range<T>(start, rows);
  std::vector<std::int64_t> positions(rows);
  for (std::size_t r = 0; r < rows; ++r) positions[r] = start + static_cast<std::int64_t>(r);
  std::shuffle(positions.begin(), positions.end(), random);
  std::vector<T> want_listed;
  for (const std::int64_t position : positions) {
    const auto row = want.begin() + (position - start) * static_cast<std::ptrdiff_t>(spec.dim);
    want_listed.insert(want_listed.end(), row, row + static_cast<std::ptrdiff_t>(spec.dim));
  }
  ForEveryTarget([&] {
    EXPECT_TRUE(SameRows(EncodeTable<T>(encoder, start, rows), want, spec.dim)) << "range";
    std::vector<T> pieces;
    for (std::size_t r = 0, count = 1; r < rows; r += count, ++count) {
      count = std::min(count, rows - r);
      const std::vector<T> piece = EncodeTable<T>(encoder, start + static_cast<std::int64_t>(r), count);
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_TRUE(SameRows(pieces, want, spec.dim)) << "range in pieces";
    std::vector<T> listed(want.size());
    const std::span<const std::int64_t> list(positions);
    ASSERT_EQ(encoder.Encode(list, Rows<T>{listed.data(), rows, 0}), Error::kNone);
    EXPECT_TRUE(SameRows(listed, want_listed, spec.dim)) << "list";
  });
}

// The same with angles below 2^-8 in all rows from start on, of vectors that are written by the series of small angles.
template <class T>
std::vector<double> SmallFrequenciesNextToMiddles(std::size_t count, double amplitude, std::int64_t start,
                                                  std::size_t rows, std::mt19937_64& random) {
  std::vector<double> frequencies;
  while (frequencies.size() < count) {
    const std::int64_t position = start + static_cast<std::int64_t>(random() % rows);
    const double about =
        std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, -10 - static_cast<int>(random() % 20));
    const bool is_sine = random() % 2 == 0;
    const double size = std::fabs(amplitude) * (is_sine ? std::sin(about) : std::cos(about));
    const double wave = MiddleAbove(Rounded<T>(size)) / std::fabs(amplitude);
    if (wave >= 1.0) continue;
    Real angle(200);
    mpfr_set_d(angle, wave, MPFR_RNDN);
    is_sine ? mpfr_asin(angle, angle, MPFR_RNDN) : mpfr_acos(angle, angle, MPFR_RNDN);
    if (mpfr_cmp_d(angle, 0x1p-9) > 0) continue;
    mpfr_div_si(angle, angle, position, MPFR_RNDN);
    frequencies.push_back(mpfr_get_d(angle, MPFR_RNDN));
  }
  return frequencies;
}

TEST(NearMiddles, SmallAnglesAreRoundedRight) {
  constexpr std::size_t kDim = 144, kRows = 96;
  std::mt19937_64 random(1618);
  for (const double amplitude : {1.0, -0.7, 0x1.8p20, 0x1.1p-17}) {
    for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
      ForEveryType([&]<class T>() {
        if constexpr (!std::is_same_v<T, double>) {
          // Too large for a Half, or too small for such sines to reach its least middle.
          if (std::is_same_v<T, Half> && (amplitude > 60000.0 || amplitude == 0x1.1p-17)) return;
          Spec spec = SpecOf(kDim);
          spec.amplitude = amplitude;
          spec.layout = layout;
          spec.cos_first = layout == Layout::kSplit;
          spec.inv_freq = SmallFrequenciesNextToMiddles<T>(kDim / 2, amplitude, 1024, kRows, random);
          ExpectEncodings<T>(spec, 1024, kRows, random);
        }
      });
    }
  }
}

TEST(NearMiddles, EncodingsAreRoundedRight) {
  constexpr std::size_t kManyRows = 96;
  std::mt19937_64 random(2718);
  for (const double amplitude : {1.0, -0.7, 0x1.8p20, 0x1.1p-17}) {
    for (const std::size_t dim : Sizes{80, 70}) {
      for (const std::int64_t start : {std::int64_t{-48}, std::int64_t{1024}}) {
        ForEveryType([&]<class T>() {
          if constexpr (!std::is_same_v<T, double>) {
            if (std::is_same_v<T, Half> && amplitude > 60000.0) return;
            Spec spec = SpecOf(dim);
            spec.amplitude = amplitude;
            spec.layout = dim == 80 ? Layout::kInterleaved : Layout::kSplit;
            spec.cos_first = start > 0;
            spec.inv_freq = FrequenciesNextToMiddles<T>(dim / 2, amplitude, start, kManyRows, random);
            ExpectEncodings<T>(spec, start, kManyRows, random);
          }
        });
      }
    }
  }
}

template <class T>
void ExpectSums(const Encoder& encoder, Reference& reference, std::int64_t start, double x_scale,
                const std::vector<T>& x) {
  const std::size_t dim = encoder.spec().dim, rows = x.size() / dim;
  std::vector<T> want(x.size());
  std::vector<std::int64_t> positions;
  for (std::size_t r = 0; r < rows; ++r) {
    positions.push_back(start + static_cast<std::int64_t>(r));
    reference.AddRow(positions[r], x_scale, x.data() + r * dim, want.data() + r * dim);
  }
  ForEveryTarget([&] {
    std::vector<T> out(x.size());
    ASSERT_EQ(encoder.EncodeAddRange(start, x_scale, Rows<const T>{x.data(), rows, 0}, Rows<T>{out.data(), rows, 0}),
              Error::kNone);
    EXPECT_TRUE(SameRows(out, want, dim)) << "out of place";
    out = x;
    ASSERT_EQ(encoder.EncodeAddRange(start, x_scale, Rows<const T>{out.data(), rows, 0}, Rows<T>{out.data(), rows, 0}),
              Error::kNone);
    EXPECT_TRUE(SameRows(out, want, dim)) << "in place";
    const std::span<const std::int64_t> list(positions);
    ASSERT_EQ(encoder.EncodeAdd(list, x_scale, Rows<const T>{x.data(), rows, 0}, Rows<T>{out.data(), rows, 0}),
              Error::kNone);
    EXPECT_TRUE(SameRows(out, want, dim)) << "list";
  });
}

Spec SplitSpec(std::size_t dim) {
  Spec spec = SpecOf(dim);
  spec.layout = Layout::kSplit;
  spec.cos_first = true;
  return spec;
}

// One element of a block is about 2^-53 of its size from a middle of its type: of small sums, to which the errors of
// encodings are large, of subnormal Halfs, and of large sums, which lose bits of their own.
TEST(NearMiddles, SumsAreRoundedRight) {
  constexpr std::size_t kDim = 80, kRows = 16;  // strips of vectors and single ones
  std::mt19937_64 random(53);
  for (Spec spec : {SpecOf(kDim), SplitSpec(kDim)}) {
    for (const double amplitude : {1.0, -1500.0, 0x1.1p-15}) {
      spec.amplitude = amplitude;
      const Encoder encoder = MakeOrFail(spec);
      Reference reference(spec);
      for (const double size : {0x1p-26, 0x1p-18, 0.01, 1.0, 55.0, 65.0, 500.0, 2100.0, 5000.0, 28000.0}) {
        ForEveryType([&]<class T>() {
          if constexpr (!std::is_same_v<T, double>) {
            for (int i = 0; i < 10; ++i) {
              SCOPED_TRACE(testing::Message() << Describe(spec) << " size " << size << " case " << i);
              const auto start = static_cast<std::int64_t>(random() % 4096 * kRows + (std::int64_t{1} << 30));
              const std::size_t row = random() % kRows, column = random() % kDim;
              std::vector<T> x(kDim * kRows);
              for (std::size_t j = 0; j < x.size(); ++j) {
                x[j] = Rounded<T>(size * (1.0 + static_cast<double>(j) / 1024));
              }
              T& near = x[row * kDim + column];
              if (i % 2 == 1) {
                // Just below a power of two, which the product may pass: then it loses a bit more than the sum, without
                // FMA.
                near =
                    FromBits<T>(static_cast<BitsOf<T>>(ToBits(Rounded<T>(std::ldexp(1.0, std::ilogb(size) + 1))) - 1));
              }
              if (!(ToDouble(near) > 0.0)) continue;  // too small for a Half
              double values[kDim];
              reference.Row(start + static_cast<std::int64_t>(row), values);
              ExpectSums(encoder, reference, start, (MiddleAbove(near) - values[column]) / ToDouble(near), x);
            }
          }
        });
      }
    }
  }
}

// Of doubles: x takes away what follows the double nearest to an encoding, and adds half a unit of it.
TEST(NearMiddles, SumsOfDoublesAreRoundedRight) {
  constexpr std::size_t kDim = 80, kRows = 17;
  std::mt19937_64 random(54);
  for (const double amplitude : {1.0, -1500.0, 0x1.1p-30}) {
    Spec spec = SpecOf(kDim);
    spec.amplitude = amplitude;
    const Encoder encoder = MakeOrFail(spec);
    Reference reference(spec);
    for (int i = 0; i < 4; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 4096 * 16);
      std::vector<double> x(kDim * kRows), nearest(kDim), opposite(kDim), rest(kDim);
      for (std::size_t r = 0; r < kRows; ++r) {
        const std::int64_t position = start + static_cast<std::int64_t>(r);
        reference.Row(position, nearest.data());
        for (std::size_t c = 0; c < kDim; ++c) opposite[c] = -nearest[c];
        reference.AddRow(position, 1.0, opposite.data(), rest.data());
        for (std::size_t c = 0; c < kDim; ++c) {
          const double unit = std::ldexp(1.0, nearest[c] == 0.0 ? 0 : std::ilogb(nearest[c]) - 52);
          const double units = 0.5 + static_cast<double>(random() % (i % 2 == 0 ? 3 : 4000));
          x[r * kDim + c] = (random() % 2 == 0 ? units : -units) * unit - rest[c];
        }
      }
      SCOPED_TRACE(testing::Message() << Describe(spec) << " start " << start);
      ExpectSums(encoder, reference, start, 1.0, x);
      for (double& value : x) value = -value / 4;
      ExpectSums(encoder, reference, start, -4.0, x);
    }
  }
}

}  // namespace
}  // namespace posenc::test
