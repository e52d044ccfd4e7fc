// Tests of EncodeGrid on every target: each cell's row holds the rounded MPFR rows of its axes' positions, in the order
// and at the columns of the call; the layouts of known models; and nothing else is written. Heights and widths always
// differ.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

class EncodeGridTest : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(EncodeGridTest);

std::vector<double> Counting(std::size_t count, double first = 0.0, double step = 1.0) {
  std::vector<double> positions;
  for (std::size_t i = 0; i < count; ++i) positions.push_back(first + static_cast<double>(i) * step);
  return positions;
}

// Axes that own what they refer to.
struct GivenAxis {
  Spec spec;
  std::vector<double> positions;
  std::size_t column;
};

std::size_t CellsOf(const std::vector<GivenAxis>& given) {
  std::size_t cells = 1;
  for (const GivenAxis& axis : given) cells *= axis.positions.size();
  return cells;
}

std::size_t RowElementsOf(const std::vector<GivenAxis>& given) {
  std::size_t elements = 0;
  for (const GivenAxis& axis : given) elements = std::max(elements, axis.column + axis.spec.dim);
  return elements;
}

template <class T>
void ExpectGrid(const std::vector<GivenAxis>& given, std::size_t gap = 0, std::size_t offset = 0) {
  std::vector<Encoder> encoders;
  for (const GivenAxis& axis : given) encoders.push_back(MakeOrFail(axis.spec));
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < given.size(); ++i) axes.push_back({&encoders[i], given[i].positions, given[i].column});
  const std::size_t cells = CellsOf(given), elements = RowElementsOf(given);
  GuardedRows<T> out(elements, cells, elements + gap, offset);
  ASSERT_EQ(EncodeGrid(std::span<const Axis>(axes), out.rows()), Error::kNone);

  // By the definition, cell by cell. Columns of no axis keep the sentinel.
  std::vector<T> want(cells * elements, GuardedRows<T>::Sentinel());
  std::size_t inner = cells;
  for (const GivenAxis& axis : given) {
    inner /= axis.positions.size();
    Reference reference(axis.spec);
    std::vector<T> row(axis.spec.dim);
    for (std::size_t j = 0; j < axis.positions.size(); ++j) {
      reference.Row(axis.positions[j], row.data());
      for (std::size_t cell = 0; cell < cells; ++cell) {
        if (cell / inner % axis.positions.size() != j) continue;
        std::copy(row.begin(), row.end(), want.begin() + static_cast<std::ptrdiff_t>(cell * elements + axis.column));
      }
    }
  }
  EXPECT_TRUE(SameRows(out.Packed(), want, elements));
  EXPECT_TRUE(out.GuardsAreIntact());
}

TEST_P(EncodeGridTest, MatchesMpfrInTwoDimensions) {
  for (const std::size_t height : Sizes{1, 3, 17}) {
    for (const std::size_t width : Sizes{2, 5, 1, 33}) {
      if (height == width) continue;
      ForEveryType([&]<class T>() {
        SCOPED_TRACE(testing::Message() << height << " x " << width);
        const Spec h = VariedSpec(6, height), w = VariedSpec(9, width);
        ExpectGrid<T>({{h, Counting(height), 0}, {w, Counting(width, -2.0), 6}});
        // The second axis first in the row, columns of no axis before, between and after, fractional positions.
        ExpectGrid<T>({{h, Counting(height, 0.5, 0.25), 13}, {w, Counting(width, 3.0, -1.5), 2}}, 3, 1);
      });
    }
  }
}

TEST_P(EncodeGridTest, MatchesMpfrInOneThreeAndFourDimensions) {
  ForEveryType([&]<class T>() {
    ExpectGrid<T>({{SpecOf(16), Counting(37), 0}});
    ExpectGrid<T>({{SpecOf(16), Counting(1), 3}}, 2, 3);
    ExpectGrid<T>({{SpecOf(4), Counting(2), 0}, {VariedSpec(7, 5), Counting(3), 4}, {SpecOf(10), Counting(4), 11}});
    ExpectGrid<T>({{SpecOf(4), Counting(4), 20}, {SpecOf(2), Counting(1), 0}, {SpecOf(6), Counting(5, 1.0), 3}}, 5, 2);
    ExpectGrid<T>({{SpecOf(2), Counting(2), 2},
                   {SpecOf(2), Counting(3), 0},
                   {SpecOf(4), Counting(5), 9},
                   {SpecOf(3 + 1), Counting(4), 4}});
  });
}

// Positions that are NaN, infinite, huge, equal or negative zero are those of Encode, and touch their own cells only.
TEST_P(EncodeGridTest, TakesThePositionsOfEncode) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  ForEveryType([&]<class T>() {
    ExpectGrid<T>({{SpecOf(8), {1.0, nan, 0x1p63, -0x1p63, -infinity}, 0}, {SpecOf(4), {7.5, 7.5, -0.0, nan}, 8}});
  });
}

// One cell of a table against the values that the conventions print, to their nine digits.
void ExpectCell(const std::vector<GivenAxis>& given, std::size_t cell, const std::vector<double>& want) {
  std::vector<Encoder> encoders;
  for (const GivenAxis& axis : given) encoders.push_back(MakeOrFail(axis.spec));
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < given.size(); ++i) axes.push_back({&encoders[i], given[i].positions, given[i].column});
  const std::size_t elements = RowElementsOf(given);
  ASSERT_EQ(elements, want.size());
  std::vector<double> table(CellsOf(given) * elements);
  ASSERT_EQ(EncodeGrid(std::span<const Axis>(axes), Rows<double>{table.data(), CellsOf(given), 0}), Error::kNone);
  for (std::size_t i = 0; i < elements; ++i) EXPECT_NEAR(table[cell * elements + i], want[i], 5.1e-10) << i;
}

Spec AxisSpec(std::size_t dim, Layout layout, Spacing spacing = Spacing::kExclusive) {
  Spec spec = SpecOf(dim);
  spec.layout = layout;
  spec.spacing = spacing;
  return spec;
}

// MAE, diffusers 2-D, MiniCPM-V: rows y-major, [sin x | cos x | sin y | cos y]. The cell y = 1, x = 2 of 3 x 5.
TEST_P(EncodeGridTest, WritesTheTableOfMae) {
  const Spec axis = AxisSpec(8, Layout::kSplit);
  ExpectCell({{axis, Counting(3), 8}, {axis, Counting(5), 0}}, 1 * 5 + 2,
             {0.909297427, 0.198669331, 0.019998667, 0.001999999, -0.416146837, 0.980066578, 0.999800007, 0.999998000,
              0.841470985, 0.099833417, 0.009999833, 0.001000000, 0.540302306, 0.995004165, 0.999950000, 0.999999500});
}

// big_vision and MoCo-v3: as MAE with inclusive spacing.
TEST_P(EncodeGridTest, WritesTheTableOfBigVision) {
  const Spec axis = AxisSpec(8, Layout::kSplit, Spacing::kInclusive);
  ExpectCell({{axis, Counting(3), 8}, {axis, Counting(5), 0}}, 1 * 5 + 2,
             {0.909297427, 0.092698501, 0.004308856, 0.000200000, -0.416146837, 0.995694224, 0.999990717, 0.999999980,
              0.841470985, 0.046399223, 0.002154433, 0.000100000, 0.540302306, 0.998922976, 0.999997679, 0.999999995});
}

// timm with interleave_sin_cos: [sin h | cos h | sin w | cos w].
TEST_P(EncodeGridTest, WritesTheInterleavedTableOfTimm) {
  const Spec axis = AxisSpec(8, Layout::kSplit);
  ExpectCell({{axis, Counting(2), 0}, {axis, Counting(3), 8}}, 1 * 3 + 2,
             {0.841470985, 0.099833417, 0.009999833, 0.001000000, 0.540302306, 0.995004165, 0.999950000, 0.999999500,
              0.909297427, 0.198669331, 0.019998667, 0.001999999, -0.416146837, 0.980066578, 0.999800007, 0.999998000});
}

// DETR: positions from 1, interleaved, [y | x].
TEST_P(EncodeGridTest, WritesTheTableOfDetr) {
  const Spec axis = AxisSpec(8, Layout::kInterleaved);
  ExpectCell({{axis, Counting(4, 1.0), 0}, {axis, Counting(5, 1.0), 8}}, 1 * 5 + 2,
             {0.909297427, -0.416146837, 0.198669331, 0.980066578, 0.019998667, 0.999800007, 0.001999999, 0.999998000,
              0.141120008, -0.989992497, 0.295520207, 0.955336489, 0.029995500, 0.999550034, 0.002999996, 0.999995500});
}

// DETR with normalize: p / (count + 1e-6) * 2 pi, a position_scale of each axis.
TEST_P(EncodeGridTest, WritesTheNormalizedTableOfDetr) {
  Spec y = AxisSpec(8, Layout::kInterleaved), x = y;
  y.position_scale = 2 * std::numbers::pi / (4 + 1e-6);
  x.position_scale = 2 * std::numbers::pi / (5 + 1e-6);
  ExpectCell(
      {{y, Counting(4, 1.0), 0}, {x, Counting(5, 1.0), 8}}, 1 * 5 + 2,
      {0.000000785, -1.000000000, 0.309016920, 0.951056541, 0.031410751, 0.999506561, 0.003141587, 0.999995065,
       -0.587784642, -0.809017438, 0.368124483, 0.929776514, 0.037690175, 0.999289473, 0.003769902, 0.999992894});
}

// Deformable DETR: half a position less.
TEST_P(EncodeGridTest, WritesTheTableOfDeformableDetr) {
  Spec y = AxisSpec(8, Layout::kInterleaved), x = y;
  y.position_scale = 2 * std::numbers::pi / (4 + 1e-6);
  x.position_scale = 2 * std::numbers::pi / (5 + 1e-6);
  ExpectCell({{y, Counting(4, 0.5), 0}, {x, Counting(5, 0.5), 8}}, 1 * 5 + 2,
             {0.707107198, -0.707106365, 0.233445307, 0.972369934, 0.023559759, 0.999722430, 0.002356192, 0.999997224,
              0.000000628, -1.000000000, 0.309016935, 0.951056536, 0.031410753, 0.999506561, 0.003141587, 0.999995065});
}

// diffusers 3-D: [t: d/4 | x: 3d/8 | y: 3d/8], rows t, y, x, positions scaled; 2 x 3 x 4 cells.
TEST_P(EncodeGridTest, WritesTheTableOfDiffusersVideo) {
  const Spec t = AxisSpec(8, Layout::kSplit), xy = AxisSpec(12, Layout::kSplit);
  ForEveryType([&]<class T>() {
    ExpectGrid<T>({{t, Counting(2, 0.0, 0.5), 0}, {xy, Counting(3, 0.0, 1.0 / 1.875), 20}, {xy, Counting(4), 8}});
  });
}

// tensor2tensor nd: inclusive per axis, axis order; what dim leaves over is no axis' and stays as it was.
TEST_P(EncodeGridTest, WritesTheTableOfTensor2Tensor) {
  const Spec axis = AxisSpec(6, Layout::kSplit, Spacing::kInclusive);
  constexpr std::size_t kDim = 20, kCells = 2 * 3 * 5;
  const std::vector<double> positions[3] = {Counting(2), Counting(3), Counting(5)};
  const Encoder encoder = MakeOrFail(axis);
  const Axis axes[3] = {{&encoder, positions[0], 0}, {&encoder, positions[1], 6}, {&encoder, positions[2], 12}};
  std::vector<float> table(kCells * kDim, 0.0f);
  ASSERT_EQ(EncodeGrid(std::span<const Axis>(axes), Rows<float>{table.data(), kCells, kDim}), Error::kNone);
  Reference reference(axis);
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    std::vector<float> want(kDim, 0.0f);
    reference.Row(static_cast<double>(cell / 15), want.data());
    reference.Row(static_cast<double>(cell / 5 % 3), want.data() + 6);
    reference.Row(static_cast<double>(cell % 5), want.data() + 12);
    ASSERT_TRUE(SameRows(std::span<const float>(table).subspan(cell * kDim, kDim), std::span<const float>(want), kDim))
        << cell;
  }
}

// Height and width exchanged, or the axes exchanged in the row, are different tables: the y-first one of a reported
// fault, cell h = 1, w = 2 of 2 x 3.
TEST_P(EncodeGridTest, DoesNotSwapAxes) {
  const Spec axis = AxisSpec(4, Layout::kInterleaved);
  const std::vector<double> h = {0.841470985, 0.540302306, 0.009999833, 0.999950000};
  const std::vector<double> w = {0.909297427, -0.416146837, 0.019998667, 0.999800007};
  std::vector<double> y_first = h, x_first = w;
  y_first.insert(y_first.end(), w.begin(), w.end());
  x_first.insert(x_first.end(), h.begin(), h.end());
  ExpectCell({{axis, Counting(2), 0}, {axis, Counting(3), 4}}, 5, y_first);
  ExpectCell({{axis, Counting(2), 4}, {axis, Counting(3), 0}}, 5, x_first);
}

TEST_P(EncodeGridTest, RefusesWhatBreaksARule) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  const Encoder not_made;
  const std::vector<double> two = Counting(2), three = Counting(3), far = {0.0, 0x1.0000000000001p63};
  ForEveryType([&]<class T>() {
    GuardedRows<T> out(9, 6);
    const auto expect = [&](Error want, const Axis& a, const Axis& b, const Rows<T>& rows) {
      const Axis axes[2] = {a, b};
      EXPECT_EQ(EncodeGrid(std::span<const Axis>(axes), rows), want) << Message(want);
      EXPECT_TRUE(out.IsUntouched()) << Message(want);
    };
    const Axis slow{&encoder, two, 0}, fast{&encoder, three, 5};
    constexpr std::size_t kHuge = SIZE_MAX - 3;
    expect(Error::kNotMade, {nullptr, two, 0}, fast, out.rows());
    expect(Error::kNotMade, slow, {&not_made, three, 5}, out.rows());
    expect(Error::kGridCount, slow, fast, {out.data(), 5, 9});
    expect(Error::kGridCount, slow, fast, {out.data(), 7, 9});
    expect(Error::kGridCount, slow, fast, {out.data(), 0, 9});
    expect(Error::kGridCount, slow, {&encoder, {}, 5}, out.rows());
    expect(Error::kAxisColumns, slow, {&encoder, three, 0}, out.rows());
    expect(Error::kAxisColumns, slow, {&encoder, three, 3}, out.rows());
    expect(Error::kAxisColumns, {&encoder, two, 4}, {&encoder, three, 1}, out.rows());
    expect(Error::kAxisColumns, slow, {&encoder, three, kHuge}, out.rows());
    expect(Error::kAxisColumns, slow, {&encoder, three, static_cast<std::size_t>(PTRDIFF_MAX) - 3}, out.rows());
    expect(Error::kOutNull, slow, fast, {nullptr, 6, 9});
    expect(Error::kOutStride, slow, fast, {out.data(), 6, 8});
    expect(Error::kOutSize, slow, fast, {out.data(), 6, PTRDIFF_MAX / sizeof(T)});
    expect(Error::kOutSize, slow, {&encoder, three, static_cast<std::size_t>(PTRDIFF_MAX) - 4}, {out.data(), 6, 0});
    expect(Error::kPosition, {&encoder, far, 0}, fast, out.rows());
    expect(Error::kPosition, slow, {&encoder, {far.data(), 2}, 5}, {out.data(), 4, 9});
  });
  // Positions inside the rows, and in what no axis writes of them.
  GuardedRows<double> out(9, 6);
  for (const double* inside : {out.row(0), out.row(0) + 4, out.row(5) + 6}) {
    const Axis axes[2] = {{&encoder, two, 0}, {&encoder, {inside, 3}, 5}};
    EXPECT_EQ(EncodeGrid(std::span<const Axis>(axes), out.rows()), Error::kPositionOverlap);
  }
  EXPECT_TRUE(out.IsUntouched());
}

// Cells whose number is no size_t are refused, and an axis without positions makes no cells beside any others.
TEST_P(EncodeGridTest, CountsCells) {
  const Encoder encoder = MakeOrFail(SpecOf(2));
  const Rows<float> none;
  EXPECT_EQ(EncodeGrid(std::span<const Axis>(), none), Error::kNone);
  GuardedRows<float> out(8, 1);
  EXPECT_EQ(EncodeGrid(std::span<const Axis>(), out.rows()), Error::kGridCount);
  const std::vector<double> many(1 << 16);
  const Axis five[5] = {
      {&encoder, many, 0}, {&encoder, many, 2}, {&encoder, many, 4}, {&encoder, many, 6}, {&encoder, {}, 8}};
  EXPECT_EQ(EncodeGrid(std::span<const Axis>(five), none), Error::kNone);
  EXPECT_EQ(EncodeGrid(std::span<const Axis>(five, 4), none), Error::kGridCount);  // 2^64 cells
  EXPECT_EQ(EncodeGrid(std::span<const Axis>(five).subspan(3), none), Error::kNone);
  EXPECT_TRUE(out.IsUntouched());
}

}  // namespace
}  // namespace posenc::test
