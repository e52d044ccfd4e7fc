// Tests of room spec through the door: every rule of Error has a Spec or a call that breaks it, the rule found is that
// one, and a broken rule writes nothing.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMaxDim = std::size_t{1} << 26;

Error ErrorOf(const Spec& spec) { return Encoder::Make(spec).error; }

template <class Change>
Error ErrorAfter(Change change) {
  Spec spec = SpecOf(8);
  change(spec);
  return ErrorOf(spec);
}

TEST(Validate, DimIsFrom1To2To26) {
  EXPECT_EQ(ErrorOf(SpecOf(0)), Error::kDim);
  EXPECT_EQ(ErrorOf(SpecOf(kMaxDim + 2)), Error::kDim);
  EXPECT_EQ(ErrorOf(SpecOf(std::numeric_limits<std::size_t>::max())), Error::kDim);
  EXPECT_EQ(ErrorOf(SpecOf(std::numeric_limits<std::size_t>::max() - 1)), Error::kDim);
  EXPECT_EQ(ErrorOf(Spec{}), Error::kDim);
  EXPECT_EQ(ErrorOf(SpecOf(2)), Error::kNone);
}

TEST(Validate, OddDimNeedsItsRule) {
  for (const std::size_t dim : Sizes{std::size_t{1}, std::size_t{3}, std::size_t{7}, kMaxDim - 1}) {
    EXPECT_EQ(ErrorOf(SpecOf(dim)), Error::kOddDim) << dim;
  }
  for (const OddDim odd : {OddDim::kZero, OddDim::kDropCos}) {
    for (const std::size_t dim : Sizes{1, 2, 3, 7, 8}) {
      Spec spec = SpecOf(dim);
      spec.odd = odd;
      EXPECT_EQ(ErrorOf(spec), Error::kNone) << Describe(spec);
    }
  }
}

TEST(Validate, BaseIsFiniteAndPositive) {
  for (const double base : {0.0, -0.0, -1.0, -1e4, kNan, -kNan, kInfinity, -kInfinity}) {
    EXPECT_EQ(ErrorOf(SpecOf(8, base)), Error::kBase) << base;
  }
  for (const double base : {1.0, 0.5, 1e-3, 2.0, 1e4, 1e15}) EXPECT_EQ(ErrorOf(SpecOf(8, base)), Error::kNone) << base;
}

TEST(Validate, InvFreqHasOneFiniteValueAFrequency) {
  const auto sized = [](std::size_t dim, OddDim odd, std::size_t size) {
    Spec spec = SpecOf(dim);
    spec.odd = odd;
    spec.inv_freq.assign(size, 0.5);
    return ErrorOf(spec);
  };
  for (const std::size_t size : Sizes{1, 3, 5, 8})
    EXPECT_EQ(sized(8, OddDim::kError, size), Error::kInvFreqSize) << size;
  EXPECT_EQ(sized(8, OddDim::kError, 4), Error::kNone);
  EXPECT_EQ(sized(7, OddDim::kZero, 3), Error::kNone);
  EXPECT_EQ(sized(7, OddDim::kZero, 4), Error::kInvFreqSize);
  EXPECT_EQ(sized(7, OddDim::kDropCos, 4), Error::kNone);
  EXPECT_EQ(sized(7, OddDim::kDropCos, 3), Error::kInvFreqSize);
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (std::size_t k = 0; k < 4; ++k) {
      Spec spec = SpecOf(8);
      spec.inv_freq = {1.0, 0.0, -0.5, 0.25};
      EXPECT_EQ(ErrorOf(spec), Error::kNone);
      spec.inv_freq[k] = bad;
      EXPECT_EQ(ErrorOf(spec), Error::kInvFreq) << k;
    }
  }
}

TEST(Validate, InvFreqTakesThePlaceOfBaseAndSpacing) {
  Spec spec = SpecOf(4);
  spec.inv_freq = {1.0, 0.5};
  const std::vector<float> want = EncodeTable<float>(MakeOrFail(spec), 5, 3);
  spec.base = 7.0;
  spec.spacing = Spacing::kInclusive;
  EXPECT_TRUE(SameRows(EncodeTable<float>(MakeOrFail(spec), 5, 3), want, 4));
}

TEST(Validate, ScalesAreFinite) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    EXPECT_EQ(ErrorAfter([&](Spec& s) { s.position_scale = bad; }), Error::kPositionScale);
    EXPECT_EQ(ErrorAfter([&](Spec& s) { s.amplitude = bad; }), Error::kAmplitude);
  }
  for (const double good : {0.0, -0.0, -2.5, 1e-300, 0x1p-1074}) {
    EXPECT_EQ(ErrorAfter([&](Spec& s) { s.position_scale = good; }), Error::kNone);
    EXPECT_EQ(ErrorAfter([&](Spec& s) { s.amplitude = good; }), Error::kNone);
  }
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.amplitude = std::numeric_limits<double>::max(); }), Error::kNone);
}

TEST(Validate, FrequenciesAreAtMost2To64) {
  const double above = std::nextafter(0x1p64, kInfinity);
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.position_scale = 0x1p64; }), Error::kNone);
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.position_scale = above; }), Error::kFrequency);
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.position_scale = -above; }), Error::kFrequency);
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.position_scale = 1e300; }), Error::kFrequency);
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.inv_freq = {1.0, 0.0, 0x1p64, -0x1p64}; }), Error::kNone);
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.inv_freq = {1.0, 0.0, 1.0, -above}; }), Error::kFrequency);
  EXPECT_EQ(ErrorAfter([&](Spec& s) { s.inv_freq = {1e300, 0.0, 1.0, 1.0}; }), Error::kFrequency);
  // A base below 1 makes frequencies that grow: base^(-3/4) = 2^66 here, and 2^63 below.
  EXPECT_EQ(ErrorOf(SpecOf(8, 0x1p-88)), Error::kFrequency);
  EXPECT_EQ(ErrorOf(SpecOf(8, 0x1p-84)), Error::kNone);
}

TEST(Validate, EnumeratorsAreThoseDeclared) {
  EXPECT_EQ(ErrorAfter([](Spec& s) { s.layout = static_cast<Layout>(2); }), Error::kLayout);
  EXPECT_EQ(ErrorAfter([](Spec& s) { s.layout = static_cast<Layout>(255); }), Error::kLayout);
  EXPECT_EQ(ErrorAfter([](Spec& s) { s.spacing = static_cast<Spacing>(2); }), Error::kSpacing);
  EXPECT_EQ(ErrorAfter([](Spec& s) { s.odd = static_cast<OddDim>(3); }), Error::kOdd);
}

// A message names the field or the argument that its rule is about.
TEST(Message, NamesTheFieldOfEveryRule) {
  const struct {
    Error error;
    const char* field;
  } rules[] = {{Error::kDim, "dim"},
               {Error::kOddDim, "odd"},
               {Error::kBase, "base"},
               {Error::kInvFreqSize, "inv_freq"},
               {Error::kInvFreq, "inv_freq"},
               {Error::kPositionScale, "position_scale"},
               {Error::kAmplitude, "amplitude"},
               {Error::kFrequency, "position_scale"},
               {Error::kLayout, "layout"},
               {Error::kSpacing, "spacing"},
               {Error::kOdd, "odd"},
               {Error::kMemory, "memory"},
               {Error::kNotMade, "Make"},
               {Error::kOutNull, "data"},
               {Error::kOutStride, "stride"},
               {Error::kOutSize, "stride"},
               {Error::kRange, "step"},
               {Error::kPositionCount, "positions"},
               {Error::kPosition, "position"},
               {Error::kXNull, "x"},
               {Error::kXCount, "x"},
               {Error::kXStride, "stride"},
               {Error::kXSize, "x"},
               {Error::kXScale, "x_scale"},
               {Error::kXOverlap, "x"},
               {Error::kPositionOverlap, "positions"},
               {Error::kPlaneCount, "sines"},
               {Error::kPlaneOverlap, "sines"},
               {Error::kGridCount, "axes"},
               {Error::kAxisColumns, "column"},
               {Error::kEvenDim, "dim"},
               {Error::kHeadShape, "head_dim"},
               {Error::kUnpairedSine, "dim"},
               {Error::kOffsetCount, "offset"},
               {Error::kOffsetOverlap, "offsets"},
               {Error::kPointer, "pointer"},
               {Error::kSpecSize, "size"},
               {Error::kElementType, "dtype"},
               {Error::kPositionType, "position_type"}};
  std::set<std::string> seen = {Message(Error::kNone)};
  for (const auto& rule : rules) {
    const std::string message = Message(rule.error);
    EXPECT_NE(message.find(rule.field), std::string::npos) << message;
    EXPECT_TRUE(seen.insert(message).second) << "said twice: " << message;
  }
}

TEST(Message, IsASentenceForEveryValue) {
  for (int code = 0; code < 256; ++code) {
    const char* message = Message(static_cast<Error>(code));
    ASSERT_NE(message, nullptr) << code;
    EXPECT_GT(std::string(message).size(), 3u) << code;
  }
}

TEST(Make, KeepsTheSpec) {
  for (const Spec& spec : ValueSpecs()) {
    const Encoder encoder = MakeOrFail(spec);
    EXPECT_EQ(Describe(encoder.spec()), Describe(spec));
    EXPECT_EQ(encoder.spec().inv_freq, spec.inv_freq);
  }
}

TEST(Make, AnEncoderThatWasNotMadeRefusesToWrite) {
  GuardedRows<float> out(4, 2);
  EXPECT_EQ(Encoder().EncodeRange(0, out.rows()), Error::kNotMade);
  Encoder made = MakeOrFail(SpecOf(4));
  const Encoder taken = std::move(made);
  EXPECT_EQ(made.EncodeRange(0, out.rows()), Error::kNotMade);  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_TRUE(out.IsUntouched());
  EXPECT_EQ(Encoder().spec().dim, 0u);
  EXPECT_EQ(taken.EncodeRange(0, out.rows()), Error::kNone);
}

// A copy works after the original has gone.
TEST(Make, CopiesShareTheTables) {
  Encoder copy;
  {
    const Encoder original = MakeOrFail(SpecOf(6));
    copy = original;
  }
  EXPECT_TRUE(SameRows(EncodeTable<float>(copy, 3, 4), EncodeTable<float>(MakeOrFail(SpecOf(6)), 3, 4), 6));
}

TEST(EncodeRangeErrors, NullData) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  EXPECT_EQ(encoder.EncodeRange(0, Rows<float>{nullptr, 1, 0}), Error::kOutNull);
  EXPECT_EQ(encoder.EncodeRange(0, Rows<float>{nullptr, 0, 0}), Error::kNone);
}

TEST(EncodeRangeErrors, StrideBelowDim) {
  const Encoder encoder = MakeOrFail(SpecOf(6));
  GuardedRows<float> out(6, 3);
  for (const std::size_t stride : Sizes{1, 2, 5}) {
    EXPECT_EQ(encoder.EncodeRange(0, Rows<float>{out.data(), 3, stride}), Error::kOutStride) << stride;
  }
  EXPECT_TRUE(out.IsUntouched());
  EXPECT_EQ(encoder.EncodeRange(0, Rows<float>{out.data(), 3, 6}), Error::kNone);
}

// count * stride * sizeof(float) is below 2^63; the products that wrap around must not pass for small ones.
TEST(EncodeRangeErrors, SizeOverflow) {
  const Encoder encoder = MakeOrFail(SpecOf(4));
  GuardedRows<float> out(4, 2);
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  const struct {
    std::size_t count;
    std::size_t stride;
  } shapes[] = {{huge, 0},
                {huge, 4},
                {2, huge},
                {huge, huge},
                {std::size_t{1} << 32, std::size_t{1} << 32},
                {std::size_t{1} << 60, 0},
                {std::size_t{1} << 59, 0},
                {2, std::size_t{1} << 60}};
  for (const auto& shape : shapes) {
    EXPECT_EQ(encoder.EncodeRange(0, Rows<float>{out.data(), shape.count, shape.stride}), Error::kOutSize)
        << shape.count << " x " << shape.stride;
  }
  EXPECT_TRUE(out.IsUntouched());
}

TEST(EncodeRangeErrors, LastPositionIsAnInt64) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const Encoder encoder = MakeOrFail(SpecOf(4));
  const struct {
    std::int64_t start;
    std::int64_t step;
    std::size_t count;
    bool fits;
  } ranges[] = {{kMax, 1, 1, true},      {kMax, 1, 2, false},      {kMax - 1, 1, 2, true},  {kMax - 1, 1, 3, false},
                {kMin, -1, 1, true},     {kMin, -1, 2, false},     {kMin + 2, -1, 3, true}, {kMin + 1, -1, 3, false},
                {0, kMax, 2, true},      {0, kMax, 3, false},      {1, kMax, 2, false},     {kMin, kMax, 3, true},
                {kMin, kMax, 4, false},  {0, kMin, 2, true},       {-1, kMin, 2, false},    {kMax, kMin, 2, true},
                {kMax, kMin, 3, false},  {0, kMin, 3, false},      {kMax, 0, 5, true},      {kMin, 0, 5, true},
                {-7, kMax / 2, 3, true}, {-7, kMax / 2, 4, false}, {1, kMax, 0, true},      {kMax, kMax, 1, true},
                {kMin, kMin, 1, true},   {kMin, kMin, 2, false},   {kMax, kMax, 2, false}};
  for (const auto& range : ranges) {
    SCOPED_TRACE(testing::Message() << range.start << " + " << range.count << " * " << range.step);
    GuardedRows<float> out(4, range.count);
    const Error error = encoder.EncodeRange(range.start, out.rows(), range.step);
    EXPECT_EQ(error, range.fits ? Error::kNone : Error::kRange);
    if (!range.fits) {
      EXPECT_TRUE(out.IsUntouched());
    }
  }
}

}  // namespace
}  // namespace posenc::test
