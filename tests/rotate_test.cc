// Tests of Encoder::Rotate on every target: (a, b) -> (a cos - b sin, a sin + b cos), one rounding of the exact value
// each, for every layout, head shape and kind of x, in place and out of place, and nothing else written.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tests/rotate_reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class Rotate : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(Rotate);

// What x holds: values of the size of embeddings, values of every exponent, or values of every bit pattern.
enum class Content { kUsual, kAnySize, kAnyBits };

template <class T>
T RandomElement(std::mt19937_64& random, Content content) {
  const std::uint64_t bits = random();
  if (content == Content::kAnyBits) return FromBits<T>(static_cast<BitsOf<T>>(bits));
  if (bits % 16 == 1) return FromBits<T>(bits % 32 == 1 ? SignBit<T>() : BitsOf<T>{0});
  if (content == Content::kAnySize) {
    const auto any = static_cast<BitsOf<T>>(bits >> 4);
    return (any & ~SignBit<T>()) < InfinityBits<T>() ? FromBits<T>(any) : FromBits<T>(SignBit<T>());
  }
  Real value(53);
  mpfr_set_d(value, static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-62, MPFR_RNDN);
  if (bits % 16 == 2) mpfr_mul_2si(value, value, static_cast<long>(bits / 16 % 60) - 40, MPFR_RNDN);
  return RoundOnce<T>(value);
}

template <class T>
void Fill(GuardedRows<T>& x, std::uint64_t seed, Content content = Content::kUsual) {
  std::mt19937_64 random(seed);
  for (std::size_t r = 0; r < x.count(); ++r) {
    T* const row = x.data() + (x.row(r) - x.data());
    for (std::size_t c = 0; c < x.dim(); ++c) row[c] = RandomElement<T>(random, content);
  }
}

std::size_t HeadDim(const Spec& spec, const HeadShape& shape) {
  return shape.head_dim == 0 ? spec.dim : shape.head_dim;
}

// Out of place with a stride of its own, then in place.
template <class T, class P>
void ExpectRotated(const Spec& spec, const HeadShape& shape, const std::vector<P>& positions, GuardedRows<T>& x) {
  SCOPED_TRACE(testing::Message() << Describe(spec) << " heads " << shape.heads << " x " << shape.head_dim);
  const Encoder encoder = MakeOrFail(spec);
  const std::size_t head_dim = HeadDim(spec, shape);
  const std::size_t elements = shape.heads * head_dim;
  RotationReference reference(spec);
  std::vector<T> want(x.count() * elements);
  for (std::size_t r = 0; r < x.count(); ++r) {
    reference.Row(positions[r], shape.heads, head_dim, x.row(r), want.data() + r * elements);
  }
  const std::vector<T> before = x.Packed();
  const std::span<const P> list(positions);
  GuardedRows<T> out(elements, x.count(), elements + 3, 5);
  ASSERT_EQ(encoder.Rotate(list, shape, x.const_rows(), out.rows()), Error::kNone);
  EXPECT_TRUE(SameRows(out.Packed(), want, elements)) << "out of place";
  EXPECT_TRUE(out.GuardsAreIntact());
  EXPECT_TRUE(SameRows(x.Packed(), before, elements)) << "x was changed";
  ASSERT_EQ(encoder.Rotate(list, shape, x.const_rows(), x.rows()), Error::kNone);
  EXPECT_TRUE(SameRows(x.Packed(), want, elements)) << "in place";
  EXPECT_TRUE(x.GuardsAreIntact());
}

template <class P>
std::vector<P> Consecutive(P start, std::size_t count) {
  std::vector<P> positions;
  for (std::size_t r = 0; r < count; ++r) positions.push_back(static_cast<P>(start + static_cast<P>(r)));
  return positions;
}

Spec Interleaved(std::size_t dim) { return SpecOf(dim); }
Spec Split(std::size_t dim) {
  Spec spec = SpecOf(dim);
  spec.layout = Layout::kSplit;
  return spec;
}

TEST_P(Rotate, MatchesMpfrForEveryDim) {
  for (std::size_t dim = 2; dim <= 84; dim += 2) {
    ForEveryType([&]<class T>() {
      const std::size_t index = dim / 2;
      const HeadShape shape{1 + index % 3, index % 4 == 0 ? 0 : dim + index % 4 - 1};
      const std::size_t elements = shape.heads * (shape.head_dim == 0 ? dim : shape.head_dim);
      GuardedRows<T> x(elements, 3, elements + index % 5, index % 16);
      Fill(x, dim);
      ExpectRotated(VariedSpec(dim, index), shape, Consecutive<std::int64_t>(4090, 3), x);
    });
  }
}

// More frequencies than are evaluated at a time, and a part of a vector after them.
TEST_P(Rotate, MatchesMpfrForLargeDims) {
  for (const std::size_t dim : Sizes{254, 256, 258, 512, 522}) {
    for (Spec spec : {Interleaved(dim), Split(dim)}) {
      ForEveryType([&]<class T>() {
        const HeadShape shape{2, dim + 6};
        GuardedRows<T> x(2 * (dim + 6), 2);
        Fill(x, dim);
        ExpectRotated(spec, shape, Consecutive<std::int32_t>(131071, 2), x);
      });
    }
  }
}

TEST_P(Rotate, MatchesMpfrForEveryValueField) {
  std::uint64_t seed = 0;
  for (Spec spec : ValueSpecs()) {
    spec.layout = ++seed % 2 == 0 ? Layout::kInterleaved : Layout::kSplit;
    ForEveryType([&]<class T>() {
      for (const Content content : {Content::kUsual, Content::kAnySize}) {
        GuardedRows<T> x(2 * spec.dim, 4);
        Fill(x, ++seed, content);
        ExpectRotated(spec, HeadShape{2, 0}, Consecutive<std::int64_t>(-1, 4), x);
      }
    });
  }
}

TEST_P(Rotate, MatchesMpfrForEveryKindOfPosition) {
  const Spec spec = Split(26);
  ForEveryType([&]<class T>() {
    const auto expect = [&](const auto& positions) {
      GuardedRows<T> x(2 * 27, positions.size());
      Fill(x, positions.size());
      ExpectRotated(spec, HeadShape{2, 27}, positions, x);
    };
    expect(std::vector<std::int32_t>{0, -1, 7, INT32_MAX, INT32_MIN});
    expect(std::vector<std::int64_t>{INT64_MAX, INT64_MIN, 1, 0, std::int64_t{1} << 53, -833719, 573204});
    expect(std::vector<float>{0.5f, -0.0f, 3.25f, 0x1p-149f, 1e-20f, -0x1p63f});
    expect(std::vector<double>{0.1, 1e-7, 1e-300, 0x1p-1074, 0x1p63, 6134899525417045.0, 355.0, -0.0});
  });
}

TEST_P(Rotate, PositionsThatAreNotFiniteGiveNansAndCopies) {
  const std::vector<double> positions = {2.5, std::nan(""), -std::numeric_limits<double>::infinity(), 7.0,
                                         -std::nan("")};
  for (const Spec& spec : {Interleaved(20), Split(20)}) {
    ForEveryType([&]<class T>() {
      GuardedRows<T> x(3 * 23, 5);
      Fill(x, 4, Content::kAnyBits);  // NaNs with a payload among what is copied
      ExpectRotated(spec, HeadShape{3, 23}, positions, x);
    });
  }
}

// Infinities, NaNs, subnormals and the largest numbers; products and sums that overflow or underflow.
TEST_P(Rotate, EveryBitPatternOfXIsRight) {
  for (const Spec& spec : {Interleaved(64), Split(64)}) {
    ForEveryType([&]<class T>() {
      for (const Content content : {Content::kAnySize, Content::kAnyBits}) {
        GuardedRows<T> x(128, 12);
        Fill(x, 11, content);
        ExpectRotated(spec, HeadShape{2, 0}, Consecutive<std::int64_t>(0, 12), x);
      }
    });
  }
}

// Results below the normal range, where rounding to the spacing of the subnormals is all that counts.
TEST_P(Rotate, SubnormalResultsAreRoundedOnce) {
  for (const double amplitude : {1.0, 0.7, 0x1p-9}) {
    ForEveryType([&]<class T>() {
      Spec spec = Split(48);
      spec.amplitude = amplitude;
      std::mt19937_64 random(5);
      GuardedRows<T> x(96, 6);
      for (std::size_t i = 0; i < 6 * 96; ++i) {
        const auto bits = static_cast<BitsOf<T>>(random() & ((BitsOf<T>{1} << (Format<T>::kPrecision + 3)) - 1));
        x.data()[i] = FromBits<T>(static_cast<BitsOf<T>>(bits | (random() % 2 == 0 ? SignBit<T>() : 0)));
      }
      ExpectRotated(spec, HeadShape{2, 0}, Consecutive<std::int64_t>(1, 6), x);
    });
  }
}

TEST_P(Rotate, LargeResultsOverflowAsIeeeSays) {
  ForEveryType([&]<class T>() {
    // The last ones take products beyond the doubles too.
    for (const double amplitude : {1.0, 1.0 + 0x1p-12, 2.0, 1e300, -0x1.8p1018, 0x1.8p1023}) {
      Spec spec = Interleaved(32);
      spec.amplitude = amplitude;
      GuardedRows<T> x(64, 8);
      const auto largest = static_cast<BitsOf<T>>(InfinityBits<T>() - 1);
      for (std::size_t i = 0; i < 8 * 64; ++i) {
        x.data()[i] = FromBits<T>(static_cast<BitsOf<T>>((largest - i % 3) | (i / 3 % 2 == 0 ? SignBit<T>() : 0)));
      }
      ExpectRotated(spec, HeadShape{2, 0}, Consecutive<std::int64_t>(0, 8), x);
    }
  });
}

// Zeros of both signs in both elements, at angles of every quadrant.
TEST_P(Rotate, ZerosHaveTheSignsOfIeee) {
  for (const double amplitude : {1.0, -1.5, 0.0, -0.0, 0x1p801, -1e308}) {
    ForEveryType([&]<class T>() {
      Spec spec = Interleaved(24);
      spec.amplitude = amplitude;
      spec.inv_freq = {1.0, 0.5, -0.5, 0.0, -0.0, 1e-9, -1e-9, 1e-300, 100.0, 1.5707963267948966, 3.141592653589793,
                       2.0};
      GuardedRows<T> x(4 * 24, 9);
      for (std::size_t i = 0; i < 9 * 96; ++i) {
        const std::size_t sign = (i % 2 == 0 ? i / 24 : i / 48) % 2;
        x.data()[i] = FromBits<T>(sign != 0 ? SignBit<T>() : BitsOf<T>{0});
      }
      ExpectRotated(spec, HeadShape{4, 0}, Consecutive<std::int64_t>(-4, 9), x);
    });
  }
}

TEST_P(Rotate, PositionZeroGivesXBack) {
  for (const Spec& spec : {Interleaved(40), Split(40)}) {
    const Encoder encoder = MakeOrFail(spec);
    ForEveryType([&]<class T>() {
      for (const Content content : {Content::kUsual, Content::kAnyBits}) {
        GuardedRows<T> x(40 * 30, 2);
        Fill(x, 8, content);
        for (std::size_t i = 0; i < 2 * 40 * 30; ++i) {
          if (IsNan(x.data()[i])) x.data()[i] = FromBits<T>(QuietNanBits<T>());
        }
        const std::vector<T> before = x.Packed();
        const double zeros[] = {0.0, -0.0};
        ASSERT_EQ(encoder.Rotate(std::span<const double>(zeros), HeadShape{30, 0}, x.const_rows(), x.rows()),
                  Error::kNone);
        EXPECT_TRUE(SameRows(x.Packed(), before, 1200));
      }
    });
  }
}

// b is -a * cot, rounded: the two products of one element cancel but for the error of that rounding.
TEST_P(Rotate, CancellationKeepsEveryBit) {
  for (const std::int64_t start : {std::int64_t{1}, std::int64_t{131072}, std::int64_t{1} << 50}) {
    ForEveryType([&]<class T>() {
      const Spec spec = Split(32);
      Reference waves(spec);
      std::mt19937_64 random(17);
      GuardedRows<T> x(64, 5);
      Real sin(200), cos(200), value(200);
      for (std::size_t r = 0; r < 5; ++r) {
        for (std::size_t i = 0; i < 64; ++i) {
          const std::size_t k = i % 16;
          T* const head = x.data() + r * 64 + i / 32 * 32;
          if (i % 32 >= 16) continue;
          waves.SinCos(start + static_cast<std::int64_t>(r), k, sin, cos);
          head[k] = RandomElement<T>(random, Content::kUsual);
          mpfr_set_d(value, ToDouble(head[k]), MPFR_RNDN);
          mpfr_mul(value, value, k % 2 == 0 ? cos : sin, MPFR_RNDN);
          mpfr_div(value, value, k % 2 == 0 ? sin : cos, MPFR_RNDN);
          if (k % 2 != 0) mpfr_neg(value, value, MPFR_RNDN);
          head[k + 16] = RoundOnce<T>(value);
        }
      }
      ExpectRotated(spec, HeadShape{2, 0}, Consecutive<std::int64_t>(start, 5), x);
    });
  }
}

// Enough elements for the rounding test to leave some open, in an output that is large enough to go past the caches.
TEST_P(Rotate, MatchesMpfrInBulk) {
  for (const Spec& spec : {Interleaved(64), Split(64)}) {
    ForEveryType([&]<class T>() {
      GuardedRows<T> x(8 * 64, 40);
      Fill(x, 99);
      ExpectRotated(spec, HeadShape{8, 0}, Consecutive<std::int64_t>(70000, 40), x);
    });
  }
}

// Rows are the same wherever they stand: in a table that is streamed, alone, as one head of many.
TEST_P(Rotate, ARowDependsOnItselfAlone) {
  for (const Spec& spec : {Interleaved(128), Split(128)}) {
    const Encoder encoder = MakeOrFail(spec);
    ForEveryType([&]<class T>() {
      constexpr std::size_t kHeads = 64, kTokens = 640;  // 10 MiB of Half
      GuardedRows<T> x(kHeads * 128, kTokens), out(kHeads * 128, kTokens);
      std::mt19937_64 random(3);
      for (std::size_t i = 0; i < kTokens * kHeads * 128; ++i) {
        // Exponents from that of 1 down by 7, any fraction.
        constexpr BitsOf<T> kOne = static_cast<BitsOf<T>>(InfinityBits<T>() >> 1 >> (Format<T>::kPrecision - 1)
                                                                                        << (Format<T>::kPrecision - 1));
        const auto span = static_cast<BitsOf<T>>(BitsOf<T>{7} << (Format<T>::kPrecision - 1));
        x.data()[i] = FromBits<T>(static_cast<BitsOf<T>>(kOne - static_cast<BitsOf<T>>(random()) % span));
      }
      const std::vector<std::int64_t> positions = Consecutive<std::int64_t>(1000, kTokens);
      const std::span<const std::int64_t> list(positions);
      ASSERT_EQ(encoder.Rotate(list, HeadShape{kHeads, 0}, x.const_rows(), out.rows()), Error::kNone);
      EXPECT_TRUE(out.GuardsAreIntact());
      GuardedRows<T> one(128, 1, 128, 3);
      for (std::size_t r = 0; r < kTokens; r += 37) {
        for (std::size_t h = 0; h < kHeads; h += 13) {
          ASSERT_EQ(
              encoder.Rotate(list.subspan(r, 1), HeadShape{}, Rows<const T>{x.row(r) + h * 128, 1, 0}, one.rows()),
              Error::kNone);
          EXPECT_TRUE(SameRows(std::span<const T>(one.row(0), 128), std::span<const T>(out.row(r) + h * 128, 128), 128))
              << "row " << r << " head " << h;
        }
      }
    });
  }
}

// Published values (rotate_half against pairs that are neighbours), and a table made in the precision of the input.
TEST_P(Rotate, FieldCases) {
  const float x[] = {1, 2, 3, 4};
  const std::int64_t one[] = {1};
  const auto rotate = [&](const Spec& spec, std::array<float, 4>& out) {
    return MakeOrFail(spec).Rotate(std::span<const std::int64_t>(one), HeadShape{}, Rows<const float>{x, 1, 0},
                                   Rows<float>{out.data(), 1, 0});
  };
  std::array<float, 4> out;
  ASSERT_EQ(rotate(Interleaved(4), out), Error::kNone);
  EXPECT_EQ(out, (std::array<float, 4>{-1.14263966375f, 1.92207559654f, 2.95985066791f, 4.02979950167f}));
  ASSERT_EQ(rotate(Split(4), out), Error::kNone);
  EXPECT_EQ(out, (std::array<float, 4>{-1.98411064856f, 1.9599006675f, 2.46237790241f, 4.01979966833f}));

  const BFloat16 ones[] = {{0x3F80}, {0x3F80}};
  const std::int32_t position[] = {1023};
  BFloat16 rotated[2];
  ASSERT_EQ(MakeOrFail(SpecOf(2)).Rotate(std::span<const std::int32_t>(position), HeadShape{},
                                         Rows<const BFloat16>{ones, 1, 0}, Rows<BFloat16>{rotated, 1, 0}),
            Error::kNone);
  EXPECT_EQ(rotated[0].bits, 0x3FA9);
  EXPECT_EQ(rotated[1].bits, 0xBF04);
}

TEST_P(Rotate, NothingToDoIsSuccess) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  const std::int64_t two[] = {1, 2};
  const std::span<const std::int64_t> list(two);
  EXPECT_EQ(encoder.Rotate(list.first(0), HeadShape{}, Rows<const float>{}, Rows<float>{}), Error::kNone);
  EXPECT_EQ(encoder.Rotate(list, HeadShape{0, 0}, Rows<const float>{nullptr, 2, 0}, Rows<float>{nullptr, 2, 0}),
            Error::kNone);
  GuardedRows<float> x(4, 2), out(4, 2);
  EXPECT_EQ(encoder.Rotate(list, HeadShape{0, 8}, x.const_rows(), out.rows()), Error::kNone);
  EXPECT_TRUE(out.IsUntouched());
}

TEST_P(Rotate, RefusesWhatItCannotDo) {
  constexpr std::size_t kHuge = std::size_t{1} << 62;
  const Encoder encoder = MakeOrFail(SpecOf(4));
  GuardedRows<float> x(10, 3), out(10, 3);
  const std::int64_t positions[] = {5, 6, 7};
  const std::span<const std::int64_t> list(positions);
  const auto expect = [&](Error want, HeadShape shape, Rows<const float> from, Rows<float> to) {
    EXPECT_EQ(encoder.Rotate(list, shape, from, to), want) << Message(want);
  };
  const HeadShape two{2, 5};
  expect(Error::kHeadShape, {1, 3}, x.const_rows(), out.rows());
  expect(Error::kHeadShape, {std::size_t{1} << 60, 8}, x.const_rows(), out.rows());
  expect(Error::kHeadShape, {2, std::size_t{1} << 63}, x.const_rows(), out.rows());
  expect(Error::kXCount, two, {x.data(), 2, 0}, out.rows());
  expect(Error::kPositionCount, two, x.const_rows(), {out.data(), 2, 0});
  expect(Error::kOutNull, two, x.const_rows(), {nullptr, 3, 0});
  expect(Error::kOutStride, two, x.const_rows(), {out.data(), 3, 9});
  expect(Error::kOutSize, two, x.const_rows(), {out.data(), 3, kHuge});
  expect(Error::kXNull, two, {nullptr, 3, 0}, out.rows());
  expect(Error::kXStride, two, {x.data(), 3, 9}, out.rows());
  expect(Error::kXSize, two, {x.data(), 3, kHuge}, out.rows());
  EXPECT_EQ(Encoder().Rotate(list, two, x.const_rows(), out.rows()), Error::kNotMade);
  const double beyond[] = {1.0, -0x1.8p63, 2.0};
  EXPECT_EQ(encoder.Rotate(std::span<const double>(beyond), two, x.const_rows(), out.rows()), Error::kPosition);
  for (const OddDim odd : {OddDim::kZero, OddDim::kDropCos}) {
    Spec spec = SpecOf(5);
    spec.odd = odd;
    EXPECT_EQ(MakeOrFail(spec).Rotate(list, two, x.const_rows(), out.rows()), Error::kEvenDim);
  }
  EXPECT_TRUE(out.IsUntouched());
}

TEST_P(Rotate, RefusesMemoryThatOverlaps) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  const std::int64_t positions[] = {5, 6, 7};
  std::array<float, 80> before;
  before.fill(2.0f);
  std::array<float, 80> memory = before;
  const auto rotate = [&](std::size_t x_at, std::size_t x_stride, std::size_t out_at, std::size_t out_stride) {
    memory = before;
    return encoder.Rotate(std::span<const std::int64_t>(positions), HeadShape{2, 5},
                          Rows<const float>{memory.data() + x_at, 3, x_stride},
                          Rows<float>{memory.data() + out_at, 3, out_stride});
  };
  for (const std::size_t at : Sizes{1, 9, 10, 29}) {
    EXPECT_EQ(rotate(0, 0, at, 0), Error::kXOverlap) << at;
    EXPECT_EQ(memory, before);
    EXPECT_EQ(rotate(at, 0, 0, 0), Error::kXOverlap) << at;
    EXPECT_EQ(memory, before);
  }
  EXPECT_EQ(rotate(0, 11, 0, 12), Error::kXOverlap) << "the same data, another stride";
  EXPECT_EQ(memory, before);
  EXPECT_EQ(rotate(0, 0, 0, 10), Error::kNone) << "stride 0 is heads * head_dim";
  EXPECT_EQ(rotate(0, 0, 30, 0), Error::kNone) << "neighbours";

  std::array<float, 30> shared{};
  const std::span<const float> inside(shared.data() + 27, 3);
  const float x[30] = {};
  EXPECT_EQ(encoder.Rotate(inside, HeadShape{2, 5}, Rows<const float>{x, 3, 0}, Rows<float>{shared.data(), 3, 0}),
            Error::kPositionOverlap);
}

}  // namespace
}  // namespace posenc::test
