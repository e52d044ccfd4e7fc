// Tests of the presets: the arguments of a peer go in; what is checked here is what surrounds the numbers, which
// tests/fingerprints has: names, first positions, scales, orders, frequencies as doubles, and refusals.

#include "posenc/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "tests/reference.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

using presets::Preset;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Error MakeError(const Preset& preset) { return Encoder::Make(preset.spec).error; }

TEST(Presets, WhatTheyAreSaysSpacingLayoutAndFirstPosition) {
  for (const presets::NamedPreset& named : presets::All()) {
    const Preset preset = named.make(8);
    const Spec& spec = preset.spec;
    const auto says = [&](const std::string& word) { return named.about.find(word) != std::string_view::npos; };
    const bool is_paper = says("the paper");
    const bool is_listed = !spec.inv_freq.empty();
    EXPECT_EQ(is_listed, says("frequencies") && !says("base")) << named.name;
    EXPECT_EQ(!is_listed && spec.spacing == Spacing::kExclusive, is_paper || says("exclusive")) << named.name;
    EXPECT_EQ(!is_listed && spec.spacing == Spacing::kInclusive, says("inclusive")) << named.name;
    EXPECT_EQ(spec.layout == Layout::kInterleaved, is_paper || says(" interleaved")) << named.name;
    EXPECT_EQ(spec.layout == Layout::kSplit && !spec.cos_first, says(" split") || says("[sin | cos]")) << named.name;
    EXPECT_EQ(spec.layout == Layout::kSplit && spec.cos_first, says("[cos | sin]")) << named.name;
    EXPECT_EQ(preset.first_position != 0, says("from position " + std::to_string(preset.first_position))) << named.name;
  }
}

TEST(Presets, NamesAreSortedAndFound) {
  const auto all = presets::All();
  ASSERT_GT(all.size(), 40u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(all[i - 1].name, all[i].name);
    }
    EXPECT_EQ(presets::Find(all[i].name), &all[i]);
    EXPECT_FALSE(all[i].about.empty());
    for (const char c : all[i].name) EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-') << c;
  }
  for (const char* name : {"", "a", "paper ", "Paper", "zzz"}) EXPECT_EQ(presets::Find(name), nullptr) << name;
  for (const char* name : {"paper",
                           "tensor2tensor",
                           "fairseq",
                           "whisper",
                           "hf-marian",
                           "marian-nmt",
                           "opennmt-tf",
                           "ctranslate2",
                           "opennmt-py",
                           "ddpm",
                           "guided-diffusion",
                           "stable-diffusion",
                           "ggml",
                           "edm",
                           "diffusers",
                           "mlx",
                           "x-transformers",
                           "keras-hub",
                           "xlm",
                           "distilbert",
                           "ctrl",
                           "transformer-xl",
                           "espnet",
                           "wenet",
                           "funasr",
                           "paraformer",
                           "flax-wmt",
                           "burn",
                           "nerf",
                           "tiny-cuda-nn",
                           "rope",
                           "llama3"}) {
    EXPECT_NE(presets::Find(name), nullptr) << name;
  }
}

// A row of a named preset has the dim asked for, or no encoder is made.
TEST(Presets, NamesGiveTheDimAskedFor) {
  for (const presets::NamedPreset& named : presets::All()) {
    SCOPED_TRACE(std::string(named.name));
    for (const std::size_t dim : Sizes{2, 4, 64, 126}) {
      const Result<Encoder> made = Encoder::Make(named.make(dim).spec);
      EXPECT_EQ(made.error, Error::kNone) << dim << Message(made.error);
      EXPECT_EQ(made.value.spec().dim, dim);
    }
    for (const std::size_t dim : Sizes{1, 7, 63}) {
      const Result<Encoder> made = Encoder::Make(named.make(dim).spec);
      EXPECT_TRUE(made.error == Error::kOddDim || (made && made.value.spec().dim == dim)) << dim << Message(made.error);
    }
    EXPECT_EQ(MakeError(named.make(0)), Error::kDim);
    EXPECT_NE(MakeError(named.make((std::size_t{1} << 26) + 2)), Error::kNone);
    EXPECT_NE(MakeError(named.make(std::numeric_limits<std::size_t>::max())), Error::kNone);
    EXPECT_NE(MakeError(named.make((std::size_t{1} << 63) + 4)), Error::kNone);
  }
}

TEST(Presets, WhatPeersDoAroundTheEncoding) {
  using presets::Order;
  const struct {
    const char* name;
    Preset preset;
    std::int64_t first_position;
    double x_scale;
    Order order = Order::kAscending;
  } cases[] = {{"paper", presets::Paper(64), 0, 1},
               {"pytorch", presets::PyTorchTutorial(64), 0, 8},
               {"rel", presets::RelPositionalEncoding(64), 0, 8, Order::kRelative},
               {"burn", presets::Burn(64), 0, 1},
               {"tensor2tensor", presets::Tensor2Tensor(64), 0, 1},
               {"fairseq", presets::Fairseq(64), 2, 8},
               {"fairseq without padding", presets::Fairseq(64, -1), 0, 8},
               {"fairseq", presets::Fairseq(64, std::numeric_limits<std::int32_t>::max()), 2147483648, 8},
               {"whisper", presets::Whisper(64), 0, 1},
               {"opennmt-py", presets::OpenNmtPyConcat(64), 0, 8},
               {"opennmt-tf", presets::OpenNmtTf(64), 1, 8},
               {"ctranslate2", presets::CTranslate2(64), 1, 8},
               {"funasr", presets::FunAsr(560, 64), 1, 8},
               {"marian-nmt", presets::MarianNmt(64), 0, 8},
               {"hf-marian", presets::HfMarian(64), 0, 8},
               {"ctrl", presets::Ctrl(64), 0, 8},
               {"tensorflow", presets::TensorFlowTutorial(64), 0, 8},
               {"transformer-xl", presets::TransformerXl(64), 0, 1, Order::kDescending},
               {"detr", presets::DetrAxis(64), 1, 1},
               {"ddpm", presets::Ddpm(64), 0, 1}};
  for (const auto& at : cases) {
    EXPECT_EQ(at.preset.first_position, at.first_position) << at.name;
    EXPECT_EQ(at.preset.x_scale, at.x_scale) << at.name;
    EXPECT_EQ(at.preset.order, at.order) << at.name;
  }
}

void ExpectRange(const Preset& preset, std::size_t length, std::int64_t start, std::int64_t step, std::size_t count) {
  const presets::Range range = presets::RangeOf(preset, length);
  EXPECT_EQ(range.count, count);
  EXPECT_EQ(range.start, start);
  EXPECT_EQ(range.step, step);
}

TEST(Presets, RangesOfASequence) {
  ExpectRange(presets::Paper(8), 5, 0, 1, 5);
  ExpectRange(presets::CTranslate2(8), 5, 1, 1, 5);
  ExpectRange(presets::TransformerXl(8), 5, 4, -1, 5);
  ExpectRange(presets::RelPositionalEncoding(8), 5, 4, -1, 9);
  ExpectRange(presets::RelPositionalEncoding(8), 1, 0, -1, 1);
  for (const Preset& preset : {presets::Paper(8), presets::TransformerXl(8), presets::RelPositionalEncoding(8)}) {
    EXPECT_EQ(presets::RangeOf(preset, 0).count, 0u);
  }
}

// InvFreq is the exact frequency, rounded once.
void ExpectInvFreq(const Spec& spec) {
  SCOPED_TRACE(Describe(spec));
  Reference reference(spec);
  const std::vector<double> got = presets::InvFreq(spec);
  ASSERT_EQ(got.size(), reference.frequencies());
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_TRUE(Same(got[k], RoundOnce<double>(reference.Frequency(k)))) << k << ": " << Describe(got[k]);
  }
}

TEST(Presets, InvFreqIsRoundedOnce) {
  for (const std::size_t dim : Sizes{2, 7, 128, 770}) {
    for (const Spec& spec : PlacementSpecs(dim)) ExpectInvFreq(spec);
  }
  for (const double base : {2.0, 1e-3, 5e5, 1e6, 0x1p60, 1e250}) ExpectInvFreq(SpecOf(256, base));
  Spec spec = SpecOf(8);
  spec.inv_freq = {0x1p64, 3.0, 1e-250, -0.1};
  spec.amplitude = 5.0;
  ExpectInvFreq(spec);
  // 1/3 as a double times 1.5 is half-way between two doubles.
  spec.inv_freq = {0x1p62, 1.0 / 3.0, 1e-200, -0.1};
  spec.position_scale = 0x1.8p0;
  ExpectInvFreq(spec);
  ExpectInvFreq(presets::RopeLinear(64, 1e4, 3.0).spec);
  EXPECT_TRUE(presets::InvFreq(SpecOf(0)).empty());
  EXPECT_TRUE(presets::InvFreq(SpecOf(7)).empty());
  EXPECT_TRUE(presets::InvFreq(SpecOf(8, -1.0)).empty());
}

TEST(Presets, RotarySchedulesAtTheirEnds) {
  const std::vector<double> plain = presets::InvFreq(presets::Rope(64, 1e4).spec);
  std::vector<double> divided;
  for (const double w : plain) divided.push_back(w / 8.0);

  // All wavelengths are below original/high, or all above original/low.
  const presets::Llama3Options all_short{.original_max_position_embeddings = 1e9};
  EXPECT_EQ(presets::RopeLlama3(64, 1e4, all_short).spec.inv_freq, plain);
  const presets::Llama3Options all_long{.original_max_position_embeddings = 1e-3};
  EXPECT_EQ(presets::RopeLlama3(64, 1e4, all_long).spec.inv_freq, divided);

  // Before low and after high nothing is blended.
  const Preset yarn = presets::RopeYarn(64, 1e4, {.factor = 8, .original_max_position_embeddings = 2048});
  EXPECT_EQ(yarn.spec.inv_freq.front(), plain.front());
  EXPECT_EQ(yarn.spec.inv_freq.back(), divided.back());
  EXPECT_EQ(presets::RopeYarn(64, 1e4, {.factor = 1, .original_max_position_embeddings = 2048}).spec.amplitude, 1.0);
  const presets::YarnOptions given{
      .factor = 8, .original_max_position_embeddings = 2048, .attention_factor = 0.75, .truncate = false};
  EXPECT_EQ(presets::RopeYarn(64, 1e4, given).spec.amplitude, 0.75);
  EXPECT_NE(presets::RopeYarn(64, 1e4, given).spec.inv_freq, yarn.spec.inv_freq);

  const std::vector<double> eights(32, 8.0);
  EXPECT_EQ(presets::RopeLongRope(64, 1e4, eights, 1.0, 4096).spec.inv_freq, divided);
  EXPECT_EQ(presets::RopeLongRope(64, 1e4, eights, 0.5, 4096).spec.amplitude, 1.0);

  EXPECT_EQ(presets::RopeDynamicNtk(64, 1e4, 4, 1024, 2048).spec.base, 1e4);
  EXPECT_EQ(presets::RopeDynamicNtk(64, 1e4, 1, 4096, 2048).spec.base, presets::RopeNtk(64, 1e4, 2).spec.base);
  EXPECT_EQ(presets::RopeLinear(64, 1e4, 8).spec.position_scale, 0.125);
}

// A shift between the two named ones: pow(max_period, -k/(half - shift)), by another route.
TEST(Presets, DiffusersWithAnyShift) {
  for (const double shift : {0.5, 0.25, -1.0, 3.0}) {
    const std::vector<double> got = presets::InvFreq(presets::Diffusers(64, {.downscale_freq_shift = shift}).spec);
    ASSERT_EQ(got.size(), 32u);
    for (std::size_t k = 0; k < 32; ++k) {
      const double want = std::pow(10000.0, -static_cast<double>(k) / (32.0 - shift));
      EXPECT_NEAR(got[k], want, want * 0x1p-48) << shift << " " << k;
    }
  }
  EXPECT_EQ(MakeError(presets::Diffusers(64, {.downscale_freq_shift = 32.0})), Error::kBase);
}

TEST(Presets, GaussianFourierTakesItsFrequencies) {
  const double freqs[] = {-3.5, 0.25, 16.0};
  const Preset preset = presets::GaussianFourier(freqs);
  const Encoder encoder = MakeOrFail(preset.spec);
  const double x = 0.125;
  double row[6];
  ASSERT_EQ(encoder.Encode(std::span<const double>(&x, 1), Rows<double>{row, 1}), Error::kNone);
  for (std::size_t k = 0; k < 3; ++k) {
    const double angle = 2.0 * 3.141592653589793 * x * freqs[k];
    EXPECT_NEAR(row[k], std::cos(angle), 1e-14);
    EXPECT_NEAR(row[3 + k], std::sin(angle), 1e-14);
  }
}

// What means nothing is refused, and never crashes.
TEST(Presets, NonsenseIsRefused) {
  for (const double bad : {0.0, -1.0, kNan, kInfinity, -kInfinity}) {
    SCOPED_TRACE(bad);
    EXPECT_EQ(MakeError(presets::RopeLinear(64, 1e4, bad)), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeNtk(64, 1e4, bad)), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeDynamicNtk(64, 1e4, bad, 4096, 2048)), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeDynamicNtk(64, 1e4, 2, bad, 2048)), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeDynamicNtk(64, 1e4, 2, 4096, bad)), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeYarn(64, 1e4, {.factor = bad, .original_max_position_embeddings = 2048})),
              Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeYarn(64, 1e4, {.factor = 2, .original_max_position_embeddings = bad})),
              Error::kBase);
    const presets::YarnOptions fast{.factor = 2, .original_max_position_embeddings = 2048, .beta_fast = bad};
    EXPECT_EQ(MakeError(presets::RopeYarn(64, 1e4, fast)), Error::kBase);
    const presets::YarnOptions slow{.factor = 2, .original_max_position_embeddings = 2048, .beta_slow = bad};
    EXPECT_EQ(MakeError(presets::RopeYarn(64, 1e4, slow)), Error::kBase);
    std::vector<double> ext_factors(32, 2.0);
    EXPECT_EQ(MakeError(presets::RopeLongRope(64, 1e4, ext_factors, bad, 4096)), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeLongRope(64, 1e4, ext_factors, 2, bad)), Error::kBase);
    ext_factors[31] = bad;
    EXPECT_EQ(MakeError(presets::RopeLongRope(64, 1e4, ext_factors, 2, 4096)), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeLlama3(64, 1e4, {.factor = bad})), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeLlama3(64, 1e4, {.low_freq_factor = bad})), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeLlama3(64, 1e4, {.high_freq_factor = bad})), Error::kBase);
    EXPECT_EQ(MakeError(presets::RopeLlama3(64, 1e4, {.original_max_position_embeddings = bad})), Error::kBase);
    for (const Preset& preset : {presets::Rope(64, bad), presets::RopeLinear(64, bad, 2), presets::RopeNtk(64, bad, 2),
                                 presets::RopeDynamicNtk(64, bad, 2, 4096, 2048), presets::RopeLlama3(64, bad),
                                 presets::RopeYarn(64, bad, {.factor = 2, .original_max_position_embeddings = 2048}),
                                 presets::Burn(64, bad), presets::KerasHub(64, bad), presets::Whisper(64, bad),
                                 presets::Edm(64, bad), presets::XTransformersScaled(64, bad),
                                 presets::GuidedDiffusion(64, bad), presets::Diffusers(64, {.max_period = bad}),
                                 presets::Tensor2Tensor(64, bad), presets::Tensor2Tensor(64, 1.0, bad),
                                 presets::Mlx(64, {.min_freq = bad}), presets::Mlx(64, {.max_freq = bad})}) {
      EXPECT_EQ(MakeError(preset), Error::kBase);
    }
  }
  for (const double bad : {kNan, kInfinity}) {
    EXPECT_EQ(MakeError(presets::Diffusers(64, {.scale = bad})), Error::kPositionScale);
    EXPECT_EQ(MakeError(presets::Diffusers(64, {.downscale_freq_shift = kNan})), Error::kBase);
    EXPECT_EQ(MakeError(presets::Mlx(64, {.scale = bad})), Error::kAmplitude);
    const presets::YarnOptions yarn{.factor = 2, .original_max_position_embeddings = 2048, .attention_factor = bad};
    EXPECT_EQ(MakeError(presets::RopeYarn(64, 1e4, yarn)), Error::kAmplitude);
    EXPECT_EQ(MakeError(presets::GaussianFourier(std::vector<double>{1.0, bad})), Error::kInvFreq);
  }
  const std::vector<double> ext_factors(31, 2.0);
  EXPECT_EQ(MakeError(presets::RopeLongRope(64, 1e4, ext_factors, 2, 4096)), Error::kBase);
  // The logarithm of base 1 is no divisor.
  EXPECT_NE(MakeError(presets::RopeYarn(64, 1.0, {.factor = 2, .original_max_position_embeddings = 2048})),
            Error::kNone);
  for (const std::size_t dim : Sizes{0, 1, 7}) {
    const Error want = dim == 0 ? Error::kDim : Error::kOddDim;
    EXPECT_EQ(MakeError(presets::RopeNtk(dim, 1e4, 2)), want);
    EXPECT_EQ(MakeError(presets::RopeLlama3(dim)), want);
    EXPECT_EQ(MakeError(presets::RopeYarn(dim, 1e4, {.factor = 2, .original_max_position_embeddings = 2048})), want);
  }
  // 13 has no half, though its half rounded down would do.
  EXPECT_EQ(MakeError(presets::MaeAxis(13)), Error::kOddDim);
  EXPECT_EQ(MakeError(presets::BigVisionAxis(13)), Error::kOddDim);
  EXPECT_EQ(MakeError(presets::TimmAxis(13)), Error::kOddDim);
  EXPECT_EQ(MakeError(presets::MaeAxis(14)), Error::kOddDim);
  EXPECT_EQ(MakeError(presets::GaussianFourier({})), Error::kDim);
  EXPECT_EQ(MakeError(presets::Nerf(65)), Error::kNone);
  EXPECT_EQ(MakeError(presets::Nerf(66)), Error::kFrequency);
  EXPECT_EQ(MakeError(presets::Nerf(std::numeric_limits<std::size_t>::max())), Error::kFrequency);
  EXPECT_EQ(MakeError(presets::TinyCudaNn(63)), Error::kNone);
  EXPECT_EQ(MakeError(presets::TinyCudaNn(64)), Error::kFrequency);
}

// The comment of HfMarian: for one model, two programs that are 0.14 apart at position 100.
TEST(Presets, TheTwoMariansDiffer) {
  const std::vector<double> nmt = EncodeTable<double>(MakeOrFail(presets::MarianNmt(512).spec), 100, 1);
  const std::vector<double> hf = EncodeTable<double>(MakeOrFail(presets::HfMarian(512).spec), 100, 1);
  double largest = 0.0;
  for (std::size_t i = 0; i < 512; ++i) largest = std::max(largest, std::abs(nmt[i] - hf[i]));
  EXPECT_NEAR(largest, 0.14, 0.005);
}

// The head of presets.h: peers form the angle as a product of floats, which is 1e-4 off at position 4096.
TEST(Presets, AnglesOfPeersAreFloats) {
  const std::vector<double> exact = EncodeTable<double>(MakeOrFail(presets::PyTorchTutorial(128).spec), 4096, 1);
  double largest = 0.0;
  for (std::size_t k = 0; k < 64; ++k) {
    const float step = static_cast<float>(-std::log(10000.0) / 128.0);
    const float angle = 4096.0f * std::exp(static_cast<float>(2 * k) * step);
    largest = std::max(largest, std::abs(std::sin(static_cast<double>(angle)) - exact[2 * k]));
    largest = std::max(largest, std::abs(std::cos(static_cast<double>(angle)) - exact[2 * k + 1]));
  }
  EXPECT_GT(largest, 5e-5);
  EXPECT_LT(largest, 3e-4);
}

}  // namespace
}  // namespace posenc::test
