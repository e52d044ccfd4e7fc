// Tests at inputs where other implementations were found wrong in public: each number stands for a reported fault, and
// the bits are those of the exact value rounded once. A fault is named by what caused it.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

constexpr std::int64_t kTwo53 = std::int64_t{1} << 53;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

class FieldCases : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(FieldCases);

// The row of one position; an integer must give the same one as a range and as a list.
template <class T, class P>
std::vector<T> RowOf(const Spec& spec, P position) {
  const Encoder encoder = MakeOrFail(spec);
  std::vector<T> row(spec.dim);
  EXPECT_EQ(encoder.Encode(std::span<const P>(&position, 1), Rows<T>{row.data(), 1, 0}), Error::kNone);
  if constexpr (std::is_integral_v<P>) {
    EXPECT_TRUE(SameRows(EncodeTable<T>(encoder, position, 1), row, spec.dim)) << "as a range";
  }
  return row;
}

template <class T, class P>
void ExpectElement(const Spec& spec, P position, std::size_t column, BitsOf<T> want) {
  const T got = RowOf<T>(spec, position)[column];
  EXPECT_EQ(ToBits(got), want) << Format<T>::kName << " " << Describe(got) << " at " << position << " column "
                               << column;
}

template <class T, class P>
void ExpectRow(const Spec& spec, P position, const std::vector<BitsOf<T>>& want) {
  std::vector<T> row;
  for (const BitsOf<T> bits : want) row.push_back(FromBits<T>(bits));
  EXPECT_TRUE(SameRows(RowOf<T>(spec, position), row, spec.dim)) << Describe(spec) << " at " << position;
}

Spec With(Spec spec, Layout layout, bool cos_first, Spacing spacing = Spacing::kExclusive,
          OddDim odd = OddDim::kError) {
  spec.layout = layout;
  spec.cos_first = cos_first;
  spec.spacing = spacing;
  spec.odd = odd;
  return spec;
}

TEST_P(FieldCases, N01_AngleInReducedPrecision) { ExpectElement<Half>(SpecOf(32), 1857, 3, 0x34E8); }

TEST_P(FieldCases, N02_FrequencyInReducedPrecision) {
  ExpectElement<float>(SpecOf(128), 4096, 2, 0xBE0688E9);
  ExpectElement<BFloat16>(SpecOf(128), 4096, 2, 0xBE07);
  ExpectElement<Half>(SpecOf(128), 4096, 2, 0xB034);
  ExpectElement<double>(SpecOf(128), 4096, 2, 0xBFC0D11D2392B80C);
}

TEST_P(FieldCases, N03_PositionInBFloat16) {
  ExpectElement<BFloat16>(SpecOf(64), 256, 0, 0xBF80);
  ExpectElement<BFloat16>(SpecOf(64), 257, 0, 0xBF13);
}

TEST_P(FieldCases, N04_PositionInHalf) {
  const std::vector<Half> table = EncodeTable<Half>(MakeOrFail(SpecOf(2)), 0, 70001);
  EXPECT_EQ(table[2 * 2048].bits, 0xB502);
  EXPECT_EQ(table[2 * 2049].bits, 0x390A);
  EXPECT_EQ(table[2 * 4093].bits, 0x379B);
  EXPECT_EQ(table[2 * 70000].bits, 0xBA96);
  for (const Half value : table) ASSERT_FALSE(IsNan(value));
}

TEST_P(FieldCases, N05_PositionsThatCollapse) {
  ExpectElement<BFloat16>(SpecOf(128), 65536, 0, 0x3F31);
  ExpectElement<BFloat16>(SpecOf(128), 65537, 0, 0xBE6F);
}

TEST_P(FieldCases, N06_LongContext) {
  const std::vector<float> row = RowOf<float>(SpecOf(128), 131071);
  EXPECT_EQ(ToBits(row[0]), 0xBF13430Au);
  EXPECT_EQ(ToBits(row[1]), 0xBF51675Eu);
  EXPECT_EQ(ToBits(row[2]), 0xBE544E80u);
  EXPECT_EQ(ToBits(row[3]), 0xBF7A6FF6u);
}

TEST_P(FieldCases, N07_OffsetsNear2To17) {
  const std::vector<float> table = EncodeTable<float>(MakeOrFail(SpecOf(128)), 131069, 3);
  EXPECT_EQ(ToBits(table[0]), 0x3F7BB160u);
  EXPECT_EQ(ToBits(table[128]), 0x3EC14855u);
  EXPECT_EQ(ToBits(table[256]), 0xBF13430Au);
  for (const auto& [position, bits] : {std::pair(131069, 0x3F7BB160u), {131070, 0x3EC14855u}, {131071, 0xBF13430Au}}) {
    ExpectElement<float>(SpecOf(128), position, 0, bits);
  }
}

TEST_P(FieldCases, N08_TablesInTheTypeOfTheInput) { ExpectRow<BFloat16>(SpecOf(2), 1023, {0xBF6B, 0x3ECD}); }

// With base 10000 and dim 128: the two frequencies as every target must have them, seen through tiny angles. Position
// 2^-60 gives sin(a) = a (1 - a^2/6), and a^2/6 is below 2^-120.
TEST_P(FieldCases, N09_FrequenciesDependOnTheTarget) {
  ExpectElement<double>(SpecOf(128), 0x1p-60, 2, ToBits(0x1.bb5fad00ab22cp-61));
  ExpectElement<double>(SpecOf(128), 0x1p-60, 126, ToBits(0x1.e459c57e28a47p-74));
}

TEST_P(FieldCases, N10_IntegersBeyondTheirFloats) {
  const struct {
    std::int64_t position;
    std::uint32_t single;
    std::uint64_t wide;
  } cases[] = {{16777216, 0xBF47917C, 0xBFE8F22F8433D6EE},
               {16777217, 0x3DD8BEBF, 0x3FBB17D7D79C02C7},
               {kTwo53, 0xBF595336, 0xBFEB2A66C8F35586},
               {kTwo53 + 1, 0xBF67457C, 0xBFECE8AF7AF2FC90},
               {kMax, 0x3F07C40D, 0x3FE0F881AA0A9A21}};
  for (const auto& at : cases) {
    ExpectElement<float>(SpecOf(2), at.position, 0, at.single);
    ExpectElement<double>(SpecOf(2), at.position, 0, at.wide);
  }
}

TEST_P(FieldCases, N11_ReductionWithAShortPi) {
  ExpectElement<double>(SpecOf(128), 1000003, 5, 0xBFC16E377E0F05DB);
  ExpectElement<double>(SpecOf(128), 1000003, 4, 0xBFEFB3B04DB6BD26);
  ExpectElement<double>(SpecOf(2), 1000000, 1, 0x3FEDF9DF9906D32C);
  ExpectElement<double>(SpecOf(2), 1000000000, 0, 0x3FE1778CAE83C69B);
}

TEST_P(FieldCases, N12_EndOfAReductionRange) {
  ExpectElement<double>(SpecOf(2), 0x1.44f93e5d8cbf5p+46, 1, 0x3D63A65FEF6FF30B);
  ExpectElement<double>(SpecOf(2), 0x1.3a49646a9cc3cp+46, 0, 0xBDAFA18B11094982);
}

TEST_P(FieldCases, N15_ResultsBeyondOne) {
  ExpectElement<float>(SpecOf(2), 16793388, 0, 0xBF7887EA);
  ExpectElement<float>(SpecOf(2), 16786764, 1, 0xBF7B3210);
  ExpectRow<float>(SpecOf(2), 1000000000, {0x3F0BBC65, 0x3F567FC6});
}

TEST_P(FieldCases, N16_TargetsWithoutFma) {
  ExpectRow<float>(SpecOf(2), 1000003, {0x3EF51641, 0xBF60C3B9});
  ExpectElement<float>(SpecOf(2), -4994642.5f, 1, 0x3F76C6D9);
}

TEST_P(FieldCases, N17_CosineOfZero) {
  for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
    const Spec spec = With(SpecOf(4), layout, false);
    const bool split = layout == Layout::kSplit;
    ExpectRow<float>(spec, 0, {0, split ? 0 : 0x3F800000u, split ? 0x3F800000u : 0, 0x3F800000});
    ExpectRow<double>(spec, 0,
                      {0, split ? 0 : 0x3FF0000000000000u, split ? 0x3FF0000000000000u : 0, 0x3FF0000000000000});
    ExpectElement<Half>(spec, 0, 3, 0x3C00);
    ExpectElement<BFloat16>(spec, 0, 3, 0x3F80);
  }
  ExpectElement<float>(SpecOf(1024), 1, 1022, 0x38D5859B);
  ExpectElement<float>(SpecOf(1024), 1, 1023, 0x3F800000);
}

TEST_P(FieldCases, N19_FrequenciesByRepeatedMultiplication) {
  ExpectElement<float>(SpecOf(128), 131071, 14, 0xBF7FFFAC);
  ExpectElement<float>(SpecOf(128), 131071, 15, 0x3B4F1211);
}

TEST_P(FieldCases, N20_RotationsThatDrift) {
  const std::vector<float> table = EncodeTable<float>(MakeOrFail(SpecOf(128)), 0, 100001);
  EXPECT_EQ(ToBits(table[std::size_t{100000} * 128]), 0x3D126D55u);
  EXPECT_EQ(ToBits(table[std::size_t{100000} * 128 + 1]), 0xBF7FD61Cu);
}

// 21, 22, 23: the exponent counts pairs, not columns, and it is no integer division.
TEST_P(FieldCases, N21_ExponentOfAColumn) {
  ExpectRow<float>(SpecOf(8), 10,
                   {0xBF0B44F8, 0xBF56CD64, 0x3F576AA4, 0x3F0A5140, 0x3DCC7576, 0x3F7EB898, 0x3C23D657, 0x3F7FFCB9});
}

TEST_P(FieldCases, N25_BaseAndExponentSwapped) { ExpectElement<float>(SpecOf(512), 1, 510, 0x38D965CE); }

TEST_P(FieldCases, N26_BaseHardCoded) {
  ExpectElement<float>(SpecOf(128, 1e6), 4096, 2, 0x3F624B99);
  ExpectElement<float>(SpecOf(8), 10, 2, 0x3F576AA4);
}

TEST_P(FieldCases, N27_FirstFrequencyIsOne) {
  for (const std::size_t dim : Sizes{2, 6, 128, 770}) {
    for (const double base : {3.0, 10000.0, 5e5}) {
      ExpectElement<float>(SpecOf(dim, base), 2, 0, 0x3F68C7B7);
      ExpectElement<float>(SpecOf(dim, base), 2, 1, 0xBED51133);
    }
  }
}

TEST_P(FieldCases, N28_FrequencyShift) {
  const Spec exclusive = With(SpecOf(8), Layout::kSplit, false);
  const Spec inclusive = With(SpecOf(8), Layout::kSplit, false, Spacing::kInclusive);
  ExpectElement<float>(exclusive, 10, 1, 0x3F576AA4);
  ExpectElement<float>(exclusive, 10, 3, 0x3C23D657);
  ExpectElement<float>(inclusive, 10, 1, 0x3EE5351D);
  ExpectElement<float>(inclusive, 10, 3, 0x3A83126D);
}

TEST_P(FieldCases, N30_HalvesSwapped) {
  constexpr std::uint32_t a = 0x3F576AA4, b = 0x3F0A5140, c = 0x3C23D657, d = 0x3F7FFCB9;
  ExpectRow<float>(With(SpecOf(4), Layout::kInterleaved, false), 1, {a, b, c, d});
  ExpectRow<float>(With(SpecOf(4), Layout::kInterleaved, true), 1, {b, a, d, c});
  ExpectRow<float>(With(SpecOf(4), Layout::kSplit, false), 1, {a, c, b, d});
  ExpectRow<float>(With(SpecOf(4), Layout::kSplit, true), 1, {b, d, a, c});
}

TEST_P(FieldCases, N31_DefaultsNeverChange) {
  Spec spec;
  spec.dim = 6;
  ExpectRow<float>(spec, 1, {0x3F576AA4, 0x3F0A5140, 0x3D3E0D1D, 0x3F7FB96B, 0x3B0D3163, 0x3F7FFFD9});
}

TEST_P(FieldCases, N35_OddDimInterleaved) {
  const Spec spec = With(SpecOf(5), Layout::kInterleaved, false, Spacing::kExclusive, OddDim::kDropCos);
  GuardedRows<float> out(5, 1);
  ASSERT_EQ(MakeOrFail(spec).EncodeRange(1, out.rows()), Error::kNone);
  EXPECT_TRUE(out.GuardsAreIntact());
  ExpectRow<float>(spec, 1, {0x3F576AA4, 0x3F0A5140, 0x3CCDC089, 0x3F7FEB53, 0x3A2566D4});
}

TEST_P(FieldCases, N36_OddDimSplit) {
  const Spec zero = With(SpecOf(15), Layout::kSplit, false, Spacing::kExclusive, OddDim::kZero);
  const std::vector<float> padded = RowOf<float>(zero, 3);
  EXPECT_EQ(ToBits(padded[1]), 0x3F387FABu);
  EXPECT_EQ(ToBits(padded[6]), 0x3A92932Eu);
  EXPECT_EQ(ToBits(padded[14]), 0u);
  const Spec drop = With(SpecOf(15), Layout::kSplit, false, Spacing::kExclusive, OddDim::kDropCos);
  const std::vector<float> dropped = RowOf<float>(drop, 3);
  EXPECT_EQ(ToBits(dropped[1]), 0x3F45145Cu);
  EXPECT_EQ(ToBits(dropped[7]), 0x3A115221u);
  GuardedRows<float> out(15, 3, 17);
  ASSERT_EQ(MakeOrFail(zero).EncodeRange(3, out.rows()), Error::kNone);
  EXPECT_TRUE(out.GuardsAreIntact());
}

TEST_P(FieldCases, N37_OneFrequency) {
  for (const Spacing spacing : {Spacing::kExclusive, Spacing::kInclusive}) {
    ExpectRow<float>(With(SpecOf(1), Layout::kInterleaved, false, spacing, OddDim::kDropCos), 2, {0x3F68C7B7});
    ExpectRow<float>(With(SpecOf(2), Layout::kInterleaved, false, spacing), 2, {0x3F68C7B7, 0xBED51133});
    ExpectRow<float>(With(SpecOf(3), Layout::kInterleaved, false, spacing, OddDim::kZero), 2,
                     {0x3F68C7B7, 0xBED51133, 0});
    ExpectRow<float>(With(SpecOf(1), Layout::kInterleaved, false, spacing, OddDim::kZero), 2, {0});
  }
}

TEST_P(FieldCases, N38_NegativePositions) {
  ExpectRow<float>(SpecOf(4), -3, {0xBE1081C3, 0xBF7D7026, 0xBCF5B920, 0x3F7FE283});
  ExpectRow<float>(SpecOf(2), kMin, {0xBF7FFB70, 0x3C41551C});
  ExpectElement<double>(SpecOf(2), kMin, 0, 0xBFEFFF6DFD42DC54);
}

TEST_P(FieldCases, N40_PositionsAreHonoured) {
  const std::int64_t positions[] = {5, 2, 2, 9};
  float rows[4];
  Spec sines = SpecOf(1);
  sines.odd = OddDim::kDropCos;
  ASSERT_EQ(MakeOrFail(sines).Encode(std::span<const std::int64_t>(positions), Rows<float>{rows, 4, 0}), Error::kNone);
  EXPECT_EQ(ToBits(rows[0]), 0xBF757C10u);
  EXPECT_EQ(ToBits(rows[1]), 0x3F68C7B7u);
  EXPECT_EQ(ToBits(rows[2]), 0x3F68C7B7u);
  EXPECT_EQ(ToBits(rows[3]), 0x3ED30132u);
  ExpectElement<float>(SpecOf(2), 7, 0, 0x3F283046);
}

TEST_P(FieldCases, N41_NoHiddenOffset) {
  const std::vector<float> table = EncodeTable<float>(MakeOrFail(SpecOf(2)), 1, 3);
  EXPECT_EQ(ToBits(table[0]), 0x3F576AA4u);
  EXPECT_EQ(ToBits(table[2]), 0x3F68C7B7u);
  EXPECT_EQ(ToBits(table[4]), 0x3E1081C3u);
}

TEST_P(FieldCases, N42_NoLastRow) {
  const std::vector<float> table = EncodeTable<float>(MakeOrFail(SpecOf(2)), 4999, 3);
  EXPECT_EQ(ToBits(table[0]), 0xBF29F899u);
  EXPECT_EQ(ToBits(table[2]), 0xBF7CEB5Eu);
  EXPECT_EQ(ToBits(table[4]), 0xBECEAB6Bu);
}

TEST_P(FieldCases, N43_OutputTypeIsNotThatOfPositions) {
  ExpectElement<float>(SpecOf(256), std::int32_t{1}, 0, 0x3F576AA4);
  ExpectElement<float>(SpecOf(8), std::int64_t{3}, 2, 0x3E974E6D);
}

TEST_P(FieldCases, N44_PositionsInTheOutputType) {
  ExpectElement<BFloat16>(SpecOf(2), 999.0f, 0, 0xBCD9);
  ExpectElement<BFloat16>(SpecOf(2), 937.0f, 0, 0x3F39);
  ExpectElement<BFloat16>(SpecOf(2), 833.0f, 0, 0xBEEB);
  ExpectElement<BFloat16>(SpecOf(2), 625.0f, 0, 0x3E34);
  ExpectElement<BFloat16>(SpecOf(2), 998.3897f, 0, 0xBF18);
}

TEST_P(FieldCases, N46_PositionsThatAreNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float positions[] = {1.0f, std::nanf(""), kInfinity, -kInfinity, 3e9f, std::nanf("")};
  const Encoder encoder = MakeOrFail(SpecOf(34));
  ForEveryType([&]<class T>() {
    GuardedRows<T> out(34, 6, 35);
    ASSERT_EQ(encoder.Encode(std::span<const float>(positions), out.rows()), Error::kNone);
    for (const std::size_t r : Sizes{1, 2, 3, 5}) {
      for (std::size_t c = 0; c < 34; ++c) ASSERT_EQ(ToBits(out.row(r)[c]), QuietNanBits<T>()) << r;
    }
    Reference reference(SpecOf(34));
    std::vector<T> want(6 * 34);
    for (std::size_t r = 0; r < 6; ++r) reference.Row(positions[r], want.data() + r * 34);
    EXPECT_TRUE(SameRows(out.Packed(), want, 34));
    EXPECT_TRUE(out.GuardsAreIntact());
  });
  ExpectRow<float>(SpecOf(2), 3e9f, {0x3F7CAC5A, 0xBE248BFC});
}

TEST_P(FieldCases, N48_NoRows) {
  const Encoder encoder = MakeOrFail(SpecOf(8));
  EXPECT_EQ(encoder.EncodeRange(5, Rows<float>{}), Error::kNone);
  EXPECT_EQ(encoder.Encode(std::span<const float>(), Rows<float>{}), Error::kNone);
  EXPECT_EQ(encoder.EncodeAddRange(5, 1.0, Rows<const float>{}, Rows<float>{}), Error::kNone);
}

TEST_P(FieldCases, N51_TruncationToBFloat16) {
  ExpectElement<BFloat16>(SpecOf(2), 2, 0, 0x3F69);
  ExpectElement<BFloat16>(SpecOf(2), 3, 0, 0x3E11);
  ExpectElement<BFloat16>(SpecOf(2), 10, 1, 0xBF57);
}

TEST_P(FieldCases, N52_NanTurnedIntoInfinity) {
  const BFloat16 x[] = {{0x7F81}, {0x7FFF}, {0xFFFF}, {0x7F80}};
  BFloat16 out[4];
  const Encoder encoder = MakeOrFail(SpecOf(4));
  ASSERT_EQ(encoder.EncodeAddRange(1, 1.0, Rows<const BFloat16>{x, 1, 0}, Rows<BFloat16>{out, 1, 0}), Error::kNone);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i].bits, 0x7FC0) << i;
  EXPECT_EQ(out[3].bits, 0x7F80);
}

TEST_P(FieldCases, N53_RoundedTwice) {
  ExpectElement<Half>(SpecOf(64), 300, 0, 0xBBFF);
  ExpectElement<BFloat16>(SpecOf(512), 450, 239, 0x3F7F);
}

TEST_P(FieldCases, N54_RoundedBeforeTheAdd) {
  ExpectElement<Half>(SpecOf(64), 1, 1, 0x3853);
  std::vector<BFloat16> x(64, BFloat16{0xBF40});  // -0.75
  const Rows<const BFloat16> rows{x.data(), 1, 0};
  ASSERT_EQ(MakeOrFail(SpecOf(64)).EncodeAddRange(1, 1.0, rows, Rows<BFloat16>{x.data(), 1, 0}), Error::kNone);
  EXPECT_EQ(x[0].bits, 0x3DBB);
}

TEST_P(FieldCases, N56_BitsThatDependOnTheTarget) { ExpectElement<float>(SpecOf(2), 1000, 0, 0x3F53AE61); }

TEST_P(FieldCases, N69_InterleavingByBlocks) {
  ExpectRow<float>(SpecOf(16), 1,
                   {0x3F576AA4, 0x3F0A5140, 0x3E9F393E, 0x3F734E6A, 0x3DCC7576, 0x3F7EB898, 0x3D01815C, 0x3F7FDF3C,
                    0x3C23D657, 0x3F7FFCB9, 0x3B4F3E20, 0x3F7FFFAC, 0x3A83126D, 0x3F7FFFF8, 0x39A5CB5F, 0x3F7FFFFF});
  ExpectRow<Half>(SpecOf(32), 1,
                  {0x3ABB, 0x3853, 0x3844, 0x3AC5, 0x34FA, 0x3B9A, 0x31A9, 0x3BE0, 0x2E64, 0x3BF6, 0x2B32,
                   0x3BFD, 0x280C, 0x3BFF, 0x248D, 0x3C00, 0x211F, 0x3C00, 0x1DC2, 0x3C00, 0x1A7A, 0x3C00,
                   0x1749, 0x3C00, 0x1419, 0x3C00, 0x109B, 0x3C00, 0x0D2E, 0x3C00, 0x09D4, 0x3C00});
  ExpectRow<BFloat16>(SpecOf(32), 1,
                      {0x3F57, 0x3F0A, 0x3F08, 0x3F59, 0x3E9F, 0x3F73, 0x3E35, 0x3F7C, 0x3DCC, 0x3F7F, 0x3D66,
                       0x3F80, 0x3D02, 0x3F80, 0x3C92, 0x3F80, 0x3C24, 0x3F80, 0x3BB8, 0x3F80, 0x3B4F, 0x3F80,
                       0x3AE9, 0x3F80, 0x3A83, 0x3F80, 0x3A13, 0x3F80, 0x39A6, 0x3F80, 0x393A, 0x3F80});
}

TEST_P(FieldCases, N80_AddedTwiceAtTheTail) {
  Spec spec = SpecOf(9);
  spec.odd = OddDim::kDropCos;
  GuardedRows<float> x(9, 1);
  for (std::size_t i = 0; i < 9; ++i) x.data()[i] = static_cast<float>(i);
  ASSERT_EQ(MakeOrFail(spec).EncodeAddRange(1, 1.0, x.const_rows(), x.rows()), Error::kNone);
  std::vector<float> want;
  for (const std::uint32_t bits : {0x3F576AA4u, 0x3FC528A0u, 0x40083E32u, 0x407F778Au, 0x408088A5u, 0x40BFFEDCu,
                                   0x40C011A6u, 0x40FFFFFBu, 0x41000124u}) {
    want.push_back(FromBits<float>(bits));
  }
  EXPECT_TRUE(SameRows(x.Packed(), want, 9));
  EXPECT_TRUE(x.GuardsAreIntact());
}

}  // namespace
}  // namespace posenc::test
