// Tests of what position encodings are for, with random Specs and positions: dot products that know the distance alone,
// steps that are rotations, and attention logits of four terms. theory.cc shows the same on one screen.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

using Vector = std::vector<double>;

double Dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A row has products of elements that are each within 2^-53 of exact, and a sum of as many.
double DotError(const Spec& spec) {
  const auto dim = static_cast<double>(spec.dim);
  return spec.amplitude * spec.amplitude * dim * (dim + 4.0) * 0x1p-53;
}

class Theory : public testing::Test {
 protected:
  std::int64_t Position(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(-bound, bound)(random_);
  }
  double Number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  Vector Numbers(std::size_t count) {
    Vector numbers(count);
    for (double& number : numbers) number = Number();
    return numbers;
  }

  // A Spec whose frequencies all have a sine and a cosine.
  Spec RandomSpec() {
    Spec spec = SpecOf(2 * static_cast<std::size_t>(Position(30) + 31), std::exp2(10.0 * Number()));
    spec.spacing = Position(1) > 0 ? Spacing::kInclusive : Spacing::kExclusive;
    spec.layout = Position(1) > 0 ? Layout::kSplit : Layout::kInterleaved;
    spec.position_scale = Number();
    spec.amplitude = 4.0 * Number();
    spec.cos_first = Position(1) > 0;
    return spec;
  }

 private:
  std::mt19937_64 random_{1};
};

TEST_F(Theory, DotProductsKnowTheDistanceAlone) {
  for (int trial = 0; trial < 200; ++trial) {
    const Spec spec = RandomSpec();
    SCOPED_TRACE(Describe(spec));
    const Encoder encoder = MakeOrFail(spec);
    const std::int64_t offset = Position(100000);
    double similarity = 0.0;
    ASSERT_EQ(encoder.Similarity(std::span<const std::int64_t>(&offset, 1), std::span<double>(&similarity, 1)),
              Error::kNone);
    for (const std::int64_t bound : {std::int64_t{100}, std::int64_t{1} << 60}) {
      const std::int64_t p = Position(bound);
      const double dot = Dot(EncodeTable<double>(encoder, p, 1), EncodeTable<double>(encoder, p + offset, 1));
      EXPECT_NEAR(dot, similarity, DotError(spec)) << p << " and " << p + offset;
    }
  }
}

TEST_F(Theory, AStepIsARotation) {
  for (int trial = 0; trial < 200; ++trial) {
    Spec spec = RandomSpec();
    spec.cos_first = true;
    spec.amplitude = 1.0;
    SCOPED_TRACE(Describe(spec));
    const Encoder encoder = MakeOrFail(spec);
    const std::int64_t p = Position(std::int64_t{1} << 60);
    const std::int64_t k = Position(100000);
    const Vector here = EncodeTable<double>(encoder, p, 1);
    const Vector there = EncodeTable<double>(encoder, p + k, 1);
    Vector turned(spec.dim);
    ASSERT_EQ(encoder.Rotate(std::span<const std::int64_t>(&k, 1), HeadShape{}, Rows<const double>{here.data(), 1},
                             Rows<double>{turned.data(), 1}),
              Error::kNone);
    // Two roundings of here, one of turned, one of there.
    for (std::size_t i = 0; i < spec.dim; ++i) EXPECT_NEAR(turned[i], there[i], 4 * 0x1p-53) << i;
  }
}

// (X_i + p_i)' M (X_j + p_j) with M = Wq' Wk.
struct Terms {
  double content;   // X_i' M X_j
  double of_j;      // X_i' M p_j
  double of_i;      // p_i' M X_j
  double distance;  // p_i' M p_j
};

class Attention {
 public:
  Attention(std::vector<Vector> m, Vector x_i, Vector x_j)
      : m_(std::move(m)), x_i_(std::move(x_i)), x_j_(std::move(x_j)) {}

  Terms Split(const Vector& p_i, const Vector& p_j) const {
    return {Dot(x_i_, Times(x_j_)), Dot(x_i_, Times(p_j)), Dot(p_i, Times(x_j_)), Dot(p_i, Times(p_j))};
  }
  double Logit(const Vector& p_i, const Vector& p_j) const { return Dot(Sum(x_i_, p_i), Times(Sum(x_j_, p_j))); }

 private:
  static Vector Sum(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  Vector Times(const Vector& x) const {
    Vector product;
    for (const Vector& row : m_) product.push_back(Dot(row, x));
    return product;
  }

  std::vector<Vector> m_;
  Vector x_i_;
  Vector x_j_;
};

TEST_F(Theory, LogitsAreFourTerms) {
  constexpr std::size_t kDim = 32;
  const Encoder encoder = MakeOrFail(SpecOf(kDim));
  std::vector<Vector> identity(kDim, Vector(kDim)), general(kDim, Vector(kDim)), wq, wk;
  for (std::size_t i = 0; i < kDim; ++i) {
    identity[i][i] = 1.0;
    wq.push_back(Numbers(kDim));
    wk.push_back(Numbers(kDim));
  }
  for (std::size_t i = 0; i < kDim; ++i) {
    for (std::size_t j = 0; j < kDim; ++j) {
      for (std::size_t k = 0; k < kDim; ++k) general[i][j] += wq[k][i] * wk[k][j];
    }
  }
  for (const bool is_identity : {true, false}) {
    const Attention attention(is_identity ? identity : general, Numbers(kDim), Numbers(kDim));
    double moved = 0.0;
    for (int trial = 0; trial < 50; ++trial) {
      const std::int64_t i = Position(10000), j = Position(10000), shift = Position(1000000) * 2 + 1;
      const auto row = [&encoder](std::int64_t p) { return EncodeTable<double>(encoder, p, 1); };
      const Terms here = attention.Split(row(i), row(j));
      const Terms both_moved = attention.Split(row(i + shift), row(j + shift));
      const Terms j_moved = attention.Split(row(i), row(j + shift));
      EXPECT_NEAR(attention.Logit(row(i), row(j)), here.content + here.of_j + here.of_i + here.distance, 1e-10);
      EXPECT_EQ(here.content, both_moved.content);
      EXPECT_EQ(here.content, j_moved.content);
      EXPECT_EQ(here.of_i, j_moved.of_i);
      EXPECT_NE(here.of_i, both_moved.of_i);
      EXPECT_EQ(both_moved.of_j, j_moved.of_j);
      EXPECT_NE(here.of_j, j_moved.of_j);
      moved = std::max(moved, std::abs(here.distance - both_moved.distance));
    }
    if (is_identity) {
      EXPECT_LE(moved, 2 * DotError(SpecOf(kDim)));
    } else {
      EXPECT_GT(moved, 0.1);
    }
  }
}

}  // namespace
}  // namespace posenc::test
