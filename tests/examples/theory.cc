// Why position encodings are what they are, on one screen: random positions and embeddings go in, and what comes out
// are the three facts that attention with absolute positions rests on ("Attention Is All You Need", section 3.5).
//
// It returns 1 if a fact does not hold.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

#include "posenc/posenc.h"

namespace {

constexpr std::size_t kDim = 64;
using Vector = std::array<double, kDim>;
using Matrix = std::vector<Vector>;

// Sums of 64 products of numbers that are rounded to 2^-53 agree to about 64 * 64 * 2^-53.
constexpr double kSumError = 5e-13;

Vector PositionEncoding(const posenc::Encoder& encoder, std::int64_t position) {
  Vector row{};
  if (encoder.EncodeRange(position, posenc::Rows<double>{row.data(), 1}) != posenc::Error::kNone) std::abort();
  return row;
}

double Dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kDim; ++i) sum += a[i] * b[i];
  return sum;
}

Vector Times(const Matrix& matrix, const Vector& x) {
  Vector product{};
  for (std::size_t i = 0; i < kDim; ++i) product[i] = Dot(matrix[i], x);
  return product;
}

// Between -1 and 1, the same on every machine.
class Random {
 public:
  double Next() { return static_cast<double>(static_cast<std::int32_t>(engine_())) * 0x1p-31; }
  Vector NextVector() {
    Vector x{};
    for (double& value : x) value = Next();
    return x;
  }
  std::int64_t NextPosition() { return static_cast<std::int64_t>(Next() * 1e12); }

 private:
  std::mt19937 engine_{1};
};

// 1. PE(p) . PE(q) depends on q - p alone.
bool ShowSimilarity(const posenc::Encoder& encoder, Random& random) {
  constexpr std::array<std::int64_t, 7> kOffsets = {0, 1, 2, 4, 8, 16, 32};
  std::array<double, kOffsets.size()> similarity{};
  if (encoder.Similarity(kOffsets, similarity) != posenc::Error::kNone) return false;
  std::printf("1. PE(p) . PE(p + offset) is the same for every p: similarity knows distance.\n\n");
  std::printf("   p     offset");
  for (const std::int64_t offset : kOffsets) std::printf("%9d", static_cast<int>(offset));
  std::printf("\n");
  double largest = 0.0;
  for (const std::int64_t p : {std::int64_t{0}, random.NextPosition(), random.NextPosition()}) {
    std::printf("%15lld", static_cast<long long>(p));
    for (std::size_t i = 0; i < kOffsets.size(); ++i) {
      const double dot = Dot(PositionEncoding(encoder, p), PositionEncoding(encoder, p + kOffsets[i]));
      largest = std::max(largest, std::abs(dot - similarity[i]));
      std::printf("%9.4f", dot);
    }
    std::printf("\n");
  }
  std::printf("     Similarity");
  for (const double value : similarity) std::printf("%9.4f", value);
  std::printf("\n\n");
  return largest < kSumError;
}

// 2. PE(p + k) is PE(p) with each pair (cos, sin) turned by the angle k * w.
bool ShowRotation(Random& random) {
  const posenc::Result<posenc::Encoder> made = posenc::Encoder::Make({.dim = kDim, .cos_first = true});
  if (!made) return false;
  std::printf("2. PE(p + k) is PE(p) turned by k: a step is the same rotation everywhere.\n\n");
  std::printf("             p      k  first pair of PE(p)  turned by k        of PE(p + k)\n");
  double largest = 0.0;
  for (int trial = 0; trial < 1000; ++trial) {
    const std::int64_t p = random.NextPosition();
    const auto k = static_cast<std::int64_t>(random.Next() * 1e4);
    const Vector here = PositionEncoding(made.value, p);
    const Vector there = PositionEncoding(made.value, p + k);
    Vector turned{};
    if (made.value.Rotate(std::span<const std::int64_t>(&k, 1), posenc::HeadShape{},
                          posenc::Rows<const double>{here.data(), 1},
                          posenc::Rows<double>{turned.data(), 1}) != posenc::Error::kNone) {
      return false;
    }
    for (std::size_t i = 0; i < kDim; ++i) largest = std::max(largest, std::abs(turned[i] - there[i]));
    if (trial < 3) {
      std::printf("%14lld%7lld  %8.5f %8.5f    %8.5f %8.5f  %8.5f %8.5f\n", static_cast<long long>(p),
                  static_cast<long long>(k), here[0], here[1], turned[0], turned[1], there[0], there[1]);
    }
  }
  std::printf("\n   The same for 1000 random p and k in all 64 dimensions, within 1e-15.\n\n");
  return largest < 1e-15;
}

struct Terms {
  double content;   // X_i' M X_j
  double of_j;      // X_i' M p_j
  double of_i;      // p_i' M X_j
  double distance;  // p_i' M p_j
};

Terms Split(const Matrix& m, const Vector& x_i, const Vector& p_i, const Vector& x_j, const Vector& p_j) {
  const Vector m_x = Times(m, x_j), m_p = Times(m, p_j);
  return {Dot(x_i, m_x), Dot(x_i, m_p), Dot(p_i, m_x), Dot(p_i, m_p)};
}

// 3. The logit (X_i + p_i)' M (X_j + p_j) is a sum of four terms, and the last one is of i - j alone if M is I.
bool ShowAttention(const posenc::Encoder& encoder, Random& random) {
  std::printf("3. An attention logit (X_i + p_i)' M (X_j + p_j), M = Wq' Wk, is four terms:\n\n");
  std::printf("             i     j   X_i'M X_j   X_i'M p_j   p_i'M X_j   p_i'M p_j       logit\n");
  const Vector x_i = random.NextVector(), x_j = random.NextVector();
  Matrix wq, wk;
  for (std::size_t i = 0; i < kDim; ++i) {
    wq.push_back(random.NextVector());
    wk.push_back(random.NextVector());
  }
  Matrix identity(kDim), general(kDim);
  for (std::size_t i = 0; i < kDim; ++i) {
    identity[i] = {};
    identity[i][i] = 1.0;
    general[i] = {};
    for (std::size_t k = 0; k < kDim; ++k) {
      for (std::size_t j = 0; j < kDim; ++j) general[i][j] += wq[k][i] * wk[k][j] / static_cast<double>(kDim);
    }
  }
  bool holds = true;
  for (const Matrix* m : {&identity, &general}) {
    // Positions (3, 5), both moved by 1000, then only j moved.
    std::array<Terms, 3> terms{};
    constexpr std::array<std::array<std::int64_t, 2>, 3> kPositions = {{{3, 5}, {1003, 1005}, {3, 1005}}};
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const auto [i, j] = kPositions[t];
      const Vector p_i = PositionEncoding(encoder, i), p_j = PositionEncoding(encoder, j);
      terms[t] = Split(*m, x_i, p_i, x_j, p_j);
      const Terms& term = terms[t];
      const double sum = term.content + term.of_j + term.of_i + term.distance;
      Vector left{}, right{};
      for (std::size_t c = 0; c < kDim; ++c) {
        left[c] = x_i[c] + p_i[c];
        right[c] = x_j[c] + p_j[c];
      }
      holds = holds && std::abs(Dot(left, Times(*m, right)) - sum) < 64 * kSumError;
      std::printf("%-8s%6d%6d%12.4f%12.4f%12.4f%12.4f%12.4f\n",
                  t > 0            ? ""
                  : m == &identity ? "M = I"
                                   : "random",
                  static_cast<int>(i), static_cast<int>(j), term.content, term.of_j, term.of_i, term.distance, sum);
    }
    // Content is of no position, the next two of one each; the last one is of the distance for M = I only.
    holds = holds && terms[0].content == terms[1].content && terms[0].content == terms[2].content;
    holds = holds && terms[1].of_j == terms[2].of_j && terms[0].of_j != terms[1].of_j;
    holds = holds && terms[0].of_i == terms[2].of_i && terms[0].of_i != terms[1].of_i;
    const double moved = std::abs(terms[0].distance - terms[1].distance);
    holds = holds && (m == &identity ? moved < kSumError : moved > 1e-3);
  }
  std::printf("\n   The first knows no position, the next two know one each. The last knows i - j\n");
  std::printf("   alone if M is the identity; Wq and Wk can learn to look at i and j, too.\n");
  return holds;
}

}  // namespace

int main() {
  const posenc::Result<posenc::Encoder> made = posenc::Encoder::Make({.dim = kDim});
  if (!made) {
    std::fprintf(stderr, "%s\n", posenc::Message(made.error));
    return 1;
  }
  Random random;
  const bool similarity = ShowSimilarity(made.value, random);
  const bool rotation = ShowRotation(random);
  const bool attention = ShowAttention(made.value, random);
  return similarity && rotation && attention ? 0 : 1;
}
