// Tests of c_api.h from C++: each call writes the bits of the call of posenc.h that it stands for and returns its code;
// specs of other sizes and values outside the enumerations.

#include "posenc/c_api.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

struct Freed {
  void operator()(posenc_encoder* encoder) const { posenc_free(encoder); }
};
using Owned = std::unique_ptr<posenc_encoder, Freed>;

int CodeOf(Error error) { return static_cast<int>(error); }

posenc_spec ToC(const Spec& spec) {
  posenc_spec c = posenc_default_spec(spec.dim);
  c.base = spec.base;
  c.layout = static_cast<int>(spec.layout);
  c.cos_first = spec.cos_first ? 1 : 0;
  c.spacing = static_cast<int>(spec.spacing);
  c.odd = static_cast<int>(spec.odd);
  c.position_scale = spec.position_scale;
  c.amplitude = spec.amplitude;
  c.inv_freq = spec.inv_freq.empty() ? nullptr : spec.inv_freq.data();
  c.inv_freq_count = spec.inv_freq.size();
  return c;
}

int CodeOfMaking(const posenc_spec& spec) {
  posenc_encoder* encoder = reinterpret_cast<posenc_encoder*>(1);  // overwritten in any case
  const int code = posenc_make(&spec, &encoder);
  EXPECT_EQ(encoder == nullptr, code != 0);
  posenc_free(encoder);
  return code;
}

Owned MakeC(const Spec& spec) {
  const posenc_spec c = ToC(spec);
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_make(&c, &encoder), 0) << Describe(spec);
  return Owned(encoder);
}

template <class T>
constexpr posenc_dtype kDtype = std::is_same_v<T, float>    ? POSENC_F32
                                : std::is_same_v<T, double> ? POSENC_F64
                                : std::is_same_v<T, Half>   ? POSENC_F16
                                                            : POSENC_BF16;
template <class P>
constexpr posenc_position_type kPositionType = std::is_same_v<P, std::int32_t>   ? POSENC_POS_I32
                                               : std::is_same_v<P, std::int64_t> ? POSENC_POS_I64
                                               : std::is_same_v<P, float>        ? POSENC_POS_F32
                                                                                 : POSENC_POS_F64;

template <class P, class T>
void ExpectListCalls(const Encoder& encoder, const posenc_encoder* c) {
  const std::size_t dim = encoder.spec().dim;
  const std::vector<P> positions = {P(5), P(-3), P(77)};
  const std::span<const P> list(positions);
  GuardedRows<T> want(dim, 3, dim + 2), got(dim, 3, dim + 2);
  ASSERT_EQ(encoder.Encode(list, want.rows()), Error::kNone);
  ASSERT_EQ(posenc_encode(c, kPositionType<P>, positions.data(), 3, kDtype<T>, got.data(), dim + 2), 0);
  EXPECT_TRUE(SameRows(got.Packed(), want.Packed(), dim));
  EXPECT_TRUE(got.GuardsAreIntact());
  const std::vector<T> x = EncodeTable<T>(encoder, 40, 3);
  ASSERT_EQ(encoder.EncodeAdd(list, 1.5, Rows<const T>{x.data(), 3, 0}, want.rows()), Error::kNone);
  ASSERT_EQ(
      posenc_encode_add(c, kPositionType<P>, positions.data(), 1.5, 3, kDtype<T>, x.data(), dim, got.data(), dim + 2),
      0);
  EXPECT_TRUE(SameRows(got.Packed(), want.Packed(), dim));
  GuardedRows<T> sin(dim, 3), cos(dim, 3), c_sin(dim, 3), c_cos(dim, 3);
  ASSERT_EQ(encoder.EncodePlanes(list, sin.rows(), cos.rows()), Error::kNone);
  ASSERT_EQ(
      posenc_encode_planes(c, kPositionType<P>, positions.data(), 3, kDtype<T>, c_sin.data(), dim, c_cos.data(), dim),
      0);
  EXPECT_TRUE(SameRows(c_sin.Packed(), sin.Packed(), dim));
  EXPECT_TRUE(SameRows(c_cos.Packed(), cos.Packed(), dim));

  // Two heads, with an element after the rotated ones; an odd dim is refused by both.
  const std::size_t row = 2 * (dim + 1);
  const std::vector<T> heads = EncodeTable<T>(encoder, 7, 9);
  GuardedRows<T> rotated(row, 3), c_rotated(row, 3);
  const Rows<const T> x_heads{heads.data(), 3, row};
  const Error error = encoder.Rotate(list, HeadShape{2, dim + 1}, x_heads, rotated.rows());
  EXPECT_EQ(error, dim % 2 == 0 ? Error::kNone : Error::kEvenDim);
  EXPECT_EQ(posenc_rotate(c, kPositionType<P>, positions.data(), 3, 2, dim + 1, kDtype<T>, heads.data(), 0,
                          c_rotated.data(), row),
            CodeOf(error));
  EXPECT_TRUE(SameRows(c_rotated.Packed(), rotated.Packed(), row));
}

TEST(CApi, WritesWhatCppWrites) {
  std::vector<Spec> specs = ValueSpecs();
  for (const Spec& spec : PlacementSpecs(7)) specs.push_back(spec);
  for (const Spec& spec : specs) {
    SCOPED_TRACE(Describe(spec));
    const Encoder encoder = MakeOrFail(spec);
    const Owned c = MakeC(spec);
    const std::size_t dim = spec.dim;
    ForEveryType([&]<class T>() {
      GuardedRows<T> got(dim, 5, dim + 1);
      ASSERT_EQ(posenc_encode_range(c.get(), 9, -4, 5, kDtype<T>, got.data(), dim + 1), 0);
      EXPECT_TRUE(SameRows(got.Packed(), EncodeTable<T>(encoder, 9, 5, -4), dim));
      EXPECT_TRUE(got.GuardsAreIntact());
      const std::vector<T> x = EncodeTable<T>(encoder, 40, 5);
      GuardedRows<T> want(dim, 5, dim + 1);
      ASSERT_EQ(encoder.EncodeAddRange(9, -2.5, Rows<const T>{x.data(), 5, 0}, want.rows(), -4), Error::kNone);
      ASSERT_EQ(posenc_encode_add_range(c.get(), 9, -4, -2.5, 5, kDtype<T>, x.data(), 0, got.data(), dim + 1), 0);
      EXPECT_TRUE(SameRows(got.Packed(), want.Packed(), dim));
      GuardedRows<T> sin(dim, 5), cos(dim, 5), c_sin(dim, 5), c_cos(dim, 5);
      ASSERT_EQ(encoder.EncodePlanes(9, sin.rows(), cos.rows(), -4), Error::kNone);
      ASSERT_EQ(posenc_encode_planes_range(c.get(), 9, -4, 5, kDtype<T>, c_sin.data(), dim, c_cos.data(), dim), 0);
      EXPECT_TRUE(SameRows(c_sin.Packed(), sin.Packed(), dim));
      EXPECT_TRUE(SameRows(c_cos.Packed(), cos.Packed(), dim));
      ExpectListCalls<std::int32_t, T>(encoder, c.get());
      ExpectListCalls<std::int64_t, T>(encoder, c.get());
      ExpectListCalls<float, T>(encoder, c.get());
      ExpectListCalls<double, T>(encoder, c.get());

      const double h[2] = {0.5, 7.0}, w[3] = {1.0, 2.0, 3.0};
      const Axis axes[2] = {{&encoder, h, dim + 1}, {&encoder, w, 0}};
      const posenc_axis c_axes[2] = {{c.get(), h, 2, dim + 1}, {c.get(), w, 3, 0}};
      GuardedRows<T> grid(2 * dim + 1, 6), c_grid(2 * dim + 1, 6);
      ASSERT_EQ(EncodeGrid(std::span<const Axis>(axes), grid.rows()), Error::kNone);
      ASSERT_EQ(posenc_encode_grid(c_axes, 2, 6, kDtype<T>, c_grid.data(), 0), 0);
      EXPECT_TRUE(SameRows(c_grid.Packed(), grid.Packed(), 2 * dim + 1));
    });
    const std::int64_t offsets[3] = {0, 1, -100};
    double want[3] = {}, got[3] = {};
    EXPECT_EQ(posenc_similarity(c.get(), offsets, 3, got), CodeOf(encoder.Similarity(offsets, want)));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Same(got[i], want[i]));
  }
  EXPECT_STREQ(posenc_active_target(), ActiveTarget());
}

TEST(CApi, ReturnsTheCodesOfCpp) {
  const auto code_after = [](auto change) {
    posenc_spec spec = posenc_default_spec(8);
    change(spec);
    return CodeOfMaking(spec);
  };
  EXPECT_EQ(code_after([](posenc_spec& s) { s.dim = 0; }), CodeOf(Error::kDim));
  EXPECT_EQ(code_after([](posenc_spec& s) { s.dim = 7; }), CodeOf(Error::kOddDim));
  EXPECT_EQ(code_after([](posenc_spec& s) { s.base = -1.0; }), CodeOf(Error::kBase));
  for (const int bad : {-1, 3, 255, 256, 257, INT_MAX, INT_MIN}) {
    EXPECT_EQ(code_after([&](posenc_spec& s) { s.layout = bad; }), CodeOf(Error::kLayout)) << bad;
    EXPECT_EQ(code_after([&](posenc_spec& s) { s.spacing = bad; }), CodeOf(Error::kSpacing)) << bad;
    EXPECT_EQ(code_after([&](posenc_spec& s) { s.odd = bad; }), CodeOf(Error::kOdd)) << bad;
  }
  const double w[3] = {1.0, 0.5, 0.25};
  EXPECT_EQ(code_after([&](posenc_spec& s) { s.inv_freq = w, s.inv_freq_count = 3; }), CodeOf(Error::kInvFreqSize));
  EXPECT_EQ(code_after([&](posenc_spec& s) { s.inv_freq = w, s.inv_freq_count = SIZE_MAX; }),
            CodeOf(Error::kInvFreqSize));
  EXPECT_EQ(code_after([](posenc_spec& s) { s.inv_freq_count = 4; }), CodeOf(Error::kPointer));
  EXPECT_EQ(posenc_make(nullptr, nullptr), CodeOf(Error::kPointer));

  const Owned encoder = MakeC(SpecOf(4));
  GuardedRows<float> out(4, 2);
  const float position[2] = {1.0f, 0x1.000002p63f};
  EXPECT_EQ(posenc_encode_range(nullptr, 0, 1, 2, POSENC_F32, out.data(), 0), CodeOf(Error::kNotMade));
  EXPECT_EQ(posenc_encode_range(encoder.get(), 0, 1, 2, POSENC_F32, nullptr, 0), CodeOf(Error::kOutNull));
  EXPECT_EQ(posenc_encode_range(encoder.get(), INT64_MAX, 1, 2, POSENC_F32, out.data(), 0), CodeOf(Error::kRange));
  for (const int bad : {-1, 4, INT_MAX, INT_MIN}) {
    EXPECT_EQ(posenc_encode_range(encoder.get(), 0, 1, 2, bad, out.data(), 0), CodeOf(Error::kElementType));
    EXPECT_EQ(posenc_encode(encoder.get(), bad, position, 2, POSENC_F32, out.data(), 0), CodeOf(Error::kPositionType));
  }
  EXPECT_EQ(posenc_encode(encoder.get(), POSENC_POS_F32, nullptr, 2, POSENC_F32, out.data(), 0),
            CodeOf(Error::kPointer));
  EXPECT_EQ(posenc_encode(encoder.get(), POSENC_POS_F32, position, 2, POSENC_F32, out.data(), 0),
            CodeOf(Error::kPosition));
  EXPECT_EQ(posenc_encode(encoder.get(), POSENC_POS_F32, nullptr, 0, POSENC_F32, nullptr, 0), 0);
  const posenc_axis axis = {nullptr, nullptr, 0, 0};
  EXPECT_EQ(posenc_encode_grid(&axis, 1, 0, POSENC_F32, out.data(), 0), CodeOf(Error::kNotMade));
  EXPECT_EQ(posenc_encode_grid(&axis, SIZE_MAX, 0, POSENC_F32, out.data(), 0), CodeOf(Error::kMemory));
  EXPECT_TRUE(out.IsUntouched());
  EXPECT_EQ(posenc_similarity(encoder.get(), nullptr, 0, nullptr), 0);
}

TEST(CApi, HasASentenceForEveryCode) {
  for (int code = 0; code < 256; ++code) EXPECT_STREQ(posenc_message(code), Message(static_cast<Error>(code))) << code;
  for (const int code : {-1, 256, 512, INT_MAX, INT_MIN}) EXPECT_STREQ(posenc_message(code), posenc_message(255));
}

// A struct of an earlier header is shorter: its missing fields have their defaults. One of a later header is refused.
TEST(CApi, TakesSpecsOfOtherSizes) {
  posenc_spec spec = posenc_default_spec(8);
  spec.base = 50.0;
  spec.layout = POSENC_SPLIT;
  spec.amplitude = std::numeric_limits<double>::quiet_NaN();  // beyond the sizes below
  spec.position_scale = spec.amplitude;
  spec.inv_freq = reinterpret_cast<const double*>(8);
  spec.inv_freq_count = 17;
  for (const std::size_t size : {offsetof(posenc_spec, position_scale), offsetof(posenc_spec, position_scale) + 7}) {
    spec.size = size;
    posenc_encoder* made = nullptr;
    ASSERT_EQ(posenc_make(&spec, &made), 0) << size;
    const Owned owned(made);
    Spec want = SpecOf(8, 50.0);
    want.layout = Layout::kSplit;
    std::vector<float> row(8);
    ASSERT_EQ(posenc_encode_range(made, 3, 1, 1, POSENC_F32, row.data(), 0), 0);
    EXPECT_TRUE(SameRows(row, EncodeTable<float>(MakeOrFail(want), 3, 1), 8));
  }
  posenc_spec shortest = posenc_default_spec(8);
  shortest.base = std::numeric_limits<double>::quiet_NaN();
  shortest.size = offsetof(posenc_spec, base);
  EXPECT_EQ(CodeOfMaking(shortest), 0);
  for (const std::size_t size : {std::size_t{0}, offsetof(posenc_spec, dim), sizeof(posenc_spec) + 1, SIZE_MAX}) {
    shortest.size = size;
    EXPECT_EQ(CodeOfMaking(shortest), CodeOf(Error::kSpecSize)) << size;
  }
}

}  // namespace
}  // namespace posenc::test
