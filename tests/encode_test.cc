// Tests of Encoder::Encode on every target: rows of integer and fractional positions in any order equal the rounded
// MPFR rows, and have the bits that a range gives.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class Encode : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(Encode);

template <class T, class P>
std::vector<T> EncodeList(const Encoder& encoder, const std::vector<P>& positions) {
  GuardedRows<T> out(encoder.spec().dim, positions.size());
  EXPECT_EQ(encoder.Encode(std::span<const P>(positions), out.rows()), Error::kNone);
  EXPECT_TRUE(out.GuardsAreIntact());
  return out.Packed();
}

template <class T, class P>
void ExpectList(const Spec& spec, const std::vector<P>& positions) {
  Reference reference(spec);
  std::vector<T> want(positions.size() * spec.dim);
  for (std::size_t r = 0; r < positions.size(); ++r) reference.Row(positions[r], want.data() + r * spec.dim);
  EXPECT_TRUE(SameRows(EncodeList<T>(MakeOrFail(spec), positions), want, spec.dim)) << Describe(spec);
}

// Integers of every magnitude, with neighbours of powers of two.
template <class P>
std::vector<P> IntegerPositions(std::size_t random_count) {
  std::vector<P> positions = {0, std::numeric_limits<P>::min(), std::numeric_limits<P>::max()};
  for (int bit = 0; bit < std::numeric_limits<P>::digits; ++bit) {
    const P power = static_cast<P>(P{1} << bit);
    for (const P position : {power, static_cast<P>(power - 1), static_cast<P>(-power), static_cast<P>(1 - power)}) {
      positions.push_back(position);
    }
  }
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < random_count; ++i)
    positions.push_back(static_cast<P>(static_cast<std::int64_t>(random()) >> (i % 64)));
  return positions;
}

// Numbers of every exponent up to 2^63, subnormals and zeros of both signs among them.
template <class P>
std::vector<P> FractionalPositions(std::size_t random_count) {
  using Limits = std::numeric_limits<P>;
  const P largest = static_cast<P>(0x1p63);
  std::vector<P> positions = {P{0},
                              -P{0},
                              largest,
                              -largest,
                              Limits::min(),
                              -Limits::min(),
                              Limits::denorm_min(),
                              -Limits::denorm_min(),
                              std::nextafter(largest, P{0}),
                              P(0.5),
                              P(-0.5),
                              P(998.3897f)};
  std::mt19937_64 random(9);
  for (int exponent = Limits::min_exponent - Limits::digits; exponent < 63; exponent += 7) {
    positions.push_back(std::ldexp(static_cast<P>(1.0 + 0.9 * static_cast<double>(random() % 1000) / 1000), exponent));
  }
  for (std::size_t i = 0; i < random_count; ++i) {
    const P magnitude = std::ldexp(static_cast<P>(random() >> 11), static_cast<int>(random() % 74) - 64);
    positions.push_back(i % 2 == 0 ? magnitude : -magnitude);
  }
  return positions;
}

TEST_P(Encode, MatchesMpfrForIntegers) {
  for (const Spec& spec : {SpecOf(66), VariedSpec(21, 9)}) {
    ForEveryType([&]<class T>() {
      ExpectList<T>(spec, IntegerPositions<std::int32_t>(40));
      ExpectList<T>(spec, IntegerPositions<std::int64_t>(40));
    });
  }
}

TEST_P(Encode, MatchesMpfrForFractions) {
  for (const Spec& spec : {SpecOf(66), VariedSpec(21, 9)}) {
    ForEveryType([&]<class T>() {
      ExpectList<T>(spec, FractionalPositions<float>(40));
      ExpectList<T>(spec, FractionalPositions<double>(40));
    });
  }
}

TEST_P(Encode, MatchesMpfrForEveryValueField) {
  for (const Spec& spec : ValueSpecs()) {
    ForEveryType([&]<class T>() {
      ExpectList<T>(spec, std::vector<double>{0.25, -0.0, 3.0, 1e-300, -0x1p63, 12345.678, 7.0});
      ExpectList<T>(spec, std::vector<std::int64_t>{3, 1 << 20, -77, 0, 2});
    });
  }
}

TEST_P(Encode, MatchesMpfrForEveryDim) {
  for (std::size_t dim = 1; dim <= 40; ++dim) {
    ForEveryType([&]<class T>() {
      ExpectList<T>(VariedSpec(dim, dim), std::vector<std::int32_t>{70000, -3, 12, 5000011, 0});
      ExpectList<T>(VariedSpec(dim, dim), std::vector<float>{0.5f, 1e7f, -2.25f});
    });
  }
}

// Where consecutive integers are no floats any more, equal positions are no run.
TEST_P(Encode, FloatsBeyondConsecutiveIntegersAreNoRuns) {
  const std::size_t dim = 6;
  const Encoder encoder = MakeOrFail(SpecOf(dim));
  const auto expect_single_rows = [&](const auto& positions) {
    using P = typename std::remove_cvref_t<decltype(positions)>::value_type;
    std::vector<float> want;
    for (const P position : positions) {
      const std::vector<float> row = EncodeList<float>(encoder, std::vector<P>{position});
      want.insert(want.end(), row.begin(), row.end());
    }
    EXPECT_TRUE(SameRows(EncodeList<float>(encoder, positions), want, dim));
  };
  for (const float sign : {1.0f, -1.0f}) {
    std::vector<float> around;
    for (int i = -20; i <= 20; ++i) around.push_back(sign * (0x1p24f + static_cast<float>(i)));
    expect_single_rows(around);
    expect_single_rows(std::vector<float>(40, sign * 0x1p24f));
    expect_single_rows(std::vector<float>(40, sign * 0x1p40f));
    std::vector<double> doubles;
    for (int i = -20; i <= 20; ++i) doubles.push_back(sign * (0x1p53 + i));
    expect_single_rows(doubles);
    expect_single_rows(std::vector<double>(40, sign * 0x1p53));
  }
}

// The least amplitude of all: products with it have lost all bits but one.
TEST_P(Encode, TheLeastAmplitudeRoundsToOneOfTwoValues) {
  Spec spec = SpecOf(2);
  spec.inv_freq = {3.141592653589793};
  spec.amplitude = 0x1p-1074;
  const Encoder encoder = MakeOrFail(spec);
  Reference reference(spec);
  for (const double position : {1.0 / 3, 1.0 / 6, 0.5, 0.0, -1.0 / 3, 1e9}) {
    std::vector<double> want(2);
    reference.Row(position, want.data());
    EXPECT_TRUE(SameRows(EncodeList<double>(encoder, std::vector<double>{position}), want, 2)) << position;
  }
}

// Packed sequences: runs that restart, with lone positions between them. The bits are those of the ranges.
TEST_P(Encode, RunsHaveTheBitsOfRanges) {
  const std::size_t dim = 40;
  const Encoder encoder = MakeOrFail(SpecOf(dim));
  ForEveryType([&]<class T>() {
    std::vector<std::int64_t> positions;
    std::vector<T> want;
    std::mt19937_64 random(3);
    for (int run = 0; run < 60; ++run) {
      const std::size_t length = random() % 70;
      const std::int64_t start = run % 3 == 0 ? 0 : static_cast<std::int64_t>(random() >> (1 + run));
      const std::int64_t step = run % 7 == 6 ? -1 : 1;
      const std::vector<T> rows = EncodeTable<T>(encoder, start, length, step);
      want.insert(want.end(), rows.begin(), rows.end());
      for (std::size_t r = 0; r < length; ++r) positions.push_back(start + static_cast<std::int64_t>(r) * step);
    }
    EXPECT_TRUE(SameRows(EncodeList<T>(encoder, positions), want, dim));
    std::vector<double> small;
    for (const std::int64_t position : positions)
      small.push_back(static_cast<double>(position % (std::int64_t{1} << 53)));
    std::vector<std::int64_t> whole(small.begin(), small.end());
    EXPECT_TRUE(SameRows(EncodeList<T>(encoder, small), EncodeList<T>(encoder, whole), dim)) << "as doubles";
  });
}

// The type of a position does not matter where the number is the same.
TEST_P(Encode, PositionsOfEveryTypeAgree) {
  std::vector<std::int32_t> positions(3000);
  std::mt19937_64 random(5);
  for (std::int32_t& position : positions) position = static_cast<std::int32_t>(random() % (1 << 25)) - (1 << 24);
  for (std::int32_t& position : positions) position = position % (1 << 24);
  const Encoder encoder = MakeOrFail(SpecOf(34));
  ForEveryType([&]<class T>() {
    const std::vector<T> want = EncodeList<T>(encoder, positions);
    EXPECT_TRUE(
        SameRows(EncodeList<T>(encoder, std::vector<std::int64_t>(positions.begin(), positions.end())), want, 34));
    EXPECT_TRUE(SameRows(EncodeList<T>(encoder, std::vector<float>(positions.begin(), positions.end())), want, 34));
    EXPECT_TRUE(SameRows(EncodeList<T>(encoder, std::vector<double>(positions.begin(), positions.end())), want, 34));
    std::vector<T> single;
    for (const std::int32_t position : positions) {
      const std::vector<T> row = EncodeTable<T>(encoder, position, 1);
      single.insert(single.end(), row.begin(), row.end());
    }
    EXPECT_TRUE(SameRows(single, want, 34));
  });
}

TEST_P(Encode, WritesOnlyItsRows) {
  const std::vector<float> positions = {1.5f, -7.0f, 1e6f, 8.0f, 9.0f, 10.0f, 11.0f};
  for (const std::size_t dim : Sizes{1, 2, 5, 16, 33}) {
    const Encoder encoder = MakeOrFail(VariedSpec(dim, dim));
    ForEveryType([&]<class T>() {
      const std::vector<T> want = EncodeList<T>(encoder, positions);
      for (std::size_t offset = 0; offset < 16; ++offset) {
        GuardedRows<T> out(dim, positions.size(), dim + offset % 3, offset);
        ASSERT_EQ(encoder.Encode(std::span<const float>(positions), out.rows()), Error::kNone);
        ASSERT_TRUE(SameRows(out.Packed(), want, dim));
        ASSERT_TRUE(out.GuardsAreIntact());
      }
    });
  }
}

TEST_P(Encode, RefusesWhatItCannotDo) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  GuardedRows<float> out(4, 3);
  const double beyond[] = {1.0, std::nextafter(0x1p63, 1e300), 2.0};
  EXPECT_EQ(encoder.Encode(std::span<const double>(beyond), out.rows()), Error::kPosition);
  const float far[] = {1.0f, 2.0f, -3e38f};
  EXPECT_EQ(encoder.Encode(std::span<const float>(far), out.rows()), Error::kPosition);
  const double two[] = {1.0, 2.0};
  EXPECT_EQ(encoder.Encode(std::span<const double>(two), out.rows()), Error::kPositionCount);
  EXPECT_EQ(encoder.Encode(std::span<const double>(beyond).first(1), Rows<float>{nullptr, 1, 0}), Error::kOutNull);
  EXPECT_EQ(encoder.Encode(std::span<const double>(two), Rows<float>{out.data(), 2, 3}), Error::kOutStride);
  EXPECT_EQ(Encoder().Encode(std::span<const double>(two), Rows<float>{out.data(), 2, 0}), Error::kNotMade);
  EXPECT_TRUE(out.IsUntouched());
}

// Positions inside the rows that they select would be overwritten while they are read.
TEST_P(Encode, RefusesPositionsInsideItsRows) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  std::vector<float> memory(64, 3.0f);
  for (const std::size_t at : Sizes{0, 5, 11, 13}) {
    const std::span<const float> positions(memory.data() + at, 3);
    const bool apart = at >= 12;
    EXPECT_EQ(encoder.Encode(positions, Rows<float>{memory.data(), 3, 0}),
              apart ? Error::kNone : Error::kPositionOverlap)
        << at;
    if (!apart) {
      EXPECT_EQ(memory, std::vector<float>(64, 3.0f));
    }
  }
}

}  // namespace
}  // namespace posenc::test
