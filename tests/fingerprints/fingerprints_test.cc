// Tests of what other programs compute: the key of a fingerprint and the preset of a peer go in, and the double that
// the library writes must be the one nearest to the number of fingerprints.inc, to all 17 digits printed there.
//
// Where a peer's constant is no double (0.3, pi, sqrt(6)), the library takes the double, exactly; the room for that is
// the error of the constant carried to the result, and no more.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "posenc/presets.h"
#include "tests/reference.h"
#include "tests/rows.h"

namespace posenc::test {
namespace {

using presets::Preset;

struct Fingerprint {
  std::string key;
  std::vector<std::string> values;
};

const std::vector<Fingerprint>& Fingerprints() {
  static const std::vector<Fingerprint> all = {
#include "tests/fingerprints/fingerprints.inc"
  };
  return all;
}

// What the library says, and how far the peer's exact number may be from it besides one rounding to double.
struct Value {
  Value(double number = 0.0, double error = 0.0) : got(number), slack(error) {}  // NOLINT(google-explicit-constructor)
  double got;
  double slack;
};
using Values = std::vector<Value>;

// Relative errors of the inputs of a row: of the angles, and of the factor of sines and cosines. Each rounding of a
// constant to double counts kRounding.
struct InputErrors {
  double angle = 0.0;
  double factor = 0.0;
};
constexpr double kRounding = 0x1p-53;

// d/da sin(a) and d/da cos(a) are at most 1: an angle that is off by e moves its sine and its cosine by at most e.
Value WithSlack(double got, std::size_t column, Reference& reference, double position, const InputErrors& errors) {
  Value value{got, std::abs(got) * errors.factor};
  const Place& place = reference.place(column);
  if (place.kind != Place::Kind::kZero) {
    value.slack += std::abs(position * mpfr_get_d(reference.Frequency(place.frequency), MPFR_RNDN)) * errors.angle;
  }
  return value;
}

Values Row(const Spec& spec, double position, const InputErrors& errors = {}) {
  std::vector<double> row(spec.dim);
  const Encoder encoder = MakeOrFail(spec);
  EXPECT_EQ(encoder.Encode(std::span<const double>(&position, 1), Rows<double>{row.data(), 1}), Error::kNone);
  Reference reference(spec);
  Values values;
  for (std::size_t column = 0; column < spec.dim; ++column) {
    values.push_back(WithSlack(row[column], column, reference, position, errors));
  }
  return values;
}

Values Select(const Values& values, std::initializer_list<std::size_t> columns) {
  Values selected;
  for (const std::size_t column : columns) selected.push_back(values[column]);
  return selected;
}

// Numbers of a preset that are computed in double, for a few roundings more than one.
Values WithinOneUlp(std::initializer_list<double> numbers) {
  Values values;
  for (const double number : numbers) {
    const double ulp = std::nextafter(std::abs(number), HUGE_VAL) - std::abs(number);
    values.push_back({number, 0.5 * ulp});
  }
  return values;
}

// The rows of a table of a preset as its Order has them.
Values Table(const Preset& preset, std::size_t length) {
  const presets::Range range = presets::RangeOf(preset, length);
  Values values;
  for (const double value : EncodeTable<double>(MakeOrFail(preset.spec), range.start, range.count, range.step)) {
    values.push_back(value);
  }
  return values;
}

// An axis of a grid, and where on it the cell of the fingerprint is.
struct AxisOfCell {
  Spec spec;
  std::vector<double> positions;
  std::size_t column;
  std::size_t index;
};

// One row of a whole grid.
Values Cell(const AxisOfCell& slow, const AxisOfCell& fast, const InputErrors& errors = {}) {
  const Encoder encoders[] = {MakeOrFail(slow.spec), MakeOrFail(fast.spec)};
  const Axis axes[] = {{&encoders[0], slow.positions, slow.column}, {&encoders[1], fast.positions, fast.column}};
  const std::size_t dim = slow.spec.dim + fast.spec.dim;
  const std::size_t cells = slow.positions.size() * fast.positions.size();
  std::vector<double> table(cells * dim);
  EXPECT_EQ(EncodeGrid(std::span<const Axis>(axes), Rows<double>{table.data(), cells}), Error::kNone);
  const double* const row = table.data() + (slow.index * fast.positions.size() + fast.index) * dim;
  Values values(dim);
  for (const AxisOfCell* axis : {&slow, &fast}) {
    Reference reference(axis->spec);
    for (std::size_t c = 0; c < axis->spec.dim; ++c) {
      values[axis->column + c] = WithSlack(row[axis->column + c], c, reference, axis->positions[axis->index], errors);
    }
  }
  return values;
}

// The cell (1, 2) of the grid of 2 x 3 positions from 0.
Values SmallCell(const Spec& spec, std::size_t slow_column, std::size_t fast_column) {
  return Cell({spec, {0, 1}, slow_column, 1}, {spec, {0, 1, 2}, fast_column, 2});
}

// DETR with normalize: the cell (2, 3), counted from 1, of a grid of 4 x 5.
Values NormalizedDetrCell(double offset) {
  const auto axis = [offset](std::size_t length, std::size_t column, std::size_t index) {
    AxisOfCell made{presets::DetrAxis(8).spec, {}, column, index};
    made.spec.position_scale = 2 * std::numbers::pi / (static_cast<double>(length) + 1e-6);
    for (std::size_t i = 1; i <= length; ++i) made.positions.push_back(static_cast<double>(i) - offset);
    return made;
  };
  // 2 pi, 1e-6 (which counts for nothing), the sum and the quotient.
  return Cell(axis(4, 0, 1), axis(5, 8, 2), {.angle = 3.5 * kRounding});
}

// Sines, then cosines, of position 3 with dim 8, from EncodePlanes.
struct Planes {
  double sin[4];
  double cos[4];
};
Planes RopePlanes() {
  Planes planes{};
  EXPECT_EQ(MakeOrFail(presets::Rope(8).spec).EncodePlanes(3, Rows<double>{planes.sin, 1}, Rows<double>{planes.cos, 1}),
            Error::kNone);
  return planes;
}

// 1, 2, ..., 8 rotated to position 3.
Values Rotated(Layout layout) {
  Spec spec = presets::Rope(8).spec;
  spec.layout = layout;
  const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::int64_t position = 3;
  double out[8] = {};
  EXPECT_EQ(MakeOrFail(spec).Rotate(std::span<const std::int64_t>(&position, 1), HeadShape{}, Rows<const double>{x, 1},
                                    Rows<double>{out, 1}),
            Error::kNone);
  return {std::begin(out), std::end(out)};
}

// timm's default order: the cell (1, 2) of the grid of 2 x 3.
Values TimmDefaultCell() {
  const Encoder encoder = MakeOrFail(presets::TimmAxis(16).spec);
  const std::int64_t h[] = {0, 0, 0, 1, 1, 1};
  const std::int64_t w[] = {0, 1, 2, 0, 1, 2};
  std::vector<double> table(6 * 16);
  const auto plane = [&table](std::size_t column) { return Rows<double>{table.data() + column, 6, 16}; };
  EXPECT_EQ(encoder.EncodePlanes(std::span<const std::int64_t>(h), plane(0), plane(8)), Error::kNone);
  EXPECT_EQ(encoder.EncodePlanes(std::span<const std::int64_t>(w), plane(4), plane(12)), Error::kNone);
  Values values;
  for (std::size_t c = 0; c < 16; ++c) values.push_back(table[5 * 16 + c]);
  return values;
}

struct Case {
  std::string key;
  std::string peer;
  std::function<Values()> evaluate;
};

std::vector<Case> MakeCases() {
  std::vector<Case> cases;
  const auto add = [&cases](std::string key, std::string peer, std::function<Values()> evaluate) {
    cases.push_back({std::move(key), std::move(peer), std::move(evaluate)});
  };
  const auto add_row = [&add](const std::string& key, const std::string& peer, const Preset& preset, double position,
                              const InputErrors& errors = {}) {
    add(key, peer, [=] { return Row(preset.spec, position, errors); });
  };

  for (const std::size_t d : {std::size_t{6}, std::size_t{8}}) {
    const std::string suffix = "_d" + std::to_string(d) + "_p3";
    for (const auto& [peer, preset] : {std::pair("paper", presets::Paper(d)),
                                       {"pytorch_tutorial", presets::PyTorchTutorial(d)},
                                       {"rel", presets::RelPositionalEncoding(d)},
                                       {"burn", presets::Burn(d)},
                                       {"keras_hub", presets::KerasHub(d)},
                                       {"xlm", presets::Xlm(d)},
                                       {"detr", presets::DetrAxis(d)}}) {
      add_row("paper_interleaved" + suffix, peer, preset, 3);
    }
    for (const auto& [peer, preset] : {std::pair("tensor2tensor", presets::Tensor2Tensor(d)),
                                       {"fairseq", presets::Fairseq(d)},
                                       {"whisper", presets::Whisper(d)},
                                       {"opennmt_py_concat", presets::OpenNmtPyConcat(d)},
                                       {"opennmt_tf", presets::OpenNmtTf(d)},
                                       {"ctranslate2", presets::CTranslate2(d)},
                                       {"marian_nmt", presets::MarianNmt(d)},
                                       {"ddpm", presets::Ddpm(d)},
                                       {"diffusers", presets::Diffusers(d)},
                                       {"funasr", presets::FunAsr(d)},
                                       {"big_vision", presets::BigVisionAxis(2 * d)}}) {
      add_row("t2t_split_inclusive" + suffix, peer, preset, 3);
    }
    for (const auto& [peer, preset] : {std::pair("hf_marian", presets::HfMarian(d)),
                                       {"ctrl", presets::Ctrl(d)},
                                       {"tensorflow_tutorial", presets::TensorFlowTutorial(d)},
                                       {"transformer_xl", presets::TransformerXl(d)},
                                       {"mae", presets::MaeAxis(2 * d)},
                                       {"timm", presets::TimmAxis(2 * d)},
                                       {"rope", presets::Rope(d)}}) {
      add_row("split_exclusive" + suffix, peer, preset, 3);
    }
    for (const auto& [peer, preset] :
         {std::pair("guided_diffusion", presets::GuidedDiffusion(d)),
          {"edm", presets::Edm(d)},
          {"diffusers", presets::Diffusers(d, {.flip_sin_to_cos = true, .downscale_freq_shift = 0.0})}}) {
      add_row("openai_timestep_cosfirst" + suffix, peer, preset, 3);
    }
    add_row("edm_endpoint" + suffix, "edm", presets::Edm(d, 10000.0, true), 3);
    // sqrt(2/8) is a double.
    add_row("mlx_default" + suffix, "mlx", presets::Mlx(d), 3, {.factor = d == 8 ? 0.0 : 2 * kRounding});
    add_row("xtransformers_scaled" + suffix, "x_transformers", presets::XTransformersScaled(d), 3,
            {.factor = 2 * kRounding});
  }

  add_row("odd_d7_p3_paper_keras_xlm(drop_cos)", "keras_hub", presets::KerasHub(7), 3);
  add_row("odd_d7_p3_paper_keras_xlm(drop_cos)", "xlm", presets::Xlm(7), 3);
  add_row("odd_d7_p3_t2t_fairseq(zero)", "tensor2tensor", presets::Tensor2Tensor(7), 3);
  add_row("odd_d7_p3_t2t_fairseq(zero)", "fairseq", presets::Fairseq(7), 3);
  add_row("odd_d7_p3_t2t_fairseq(zero)", "ddpm", presets::Ddpm(7), 3);
  add_row("odd_d7_p3_t2t_fairseq(zero)", "diffusers", presets::Diffusers(7), 3);
  add_row("odd_d7_p3_hf_marian(ceil_sin|floor_cos)", "hf_marian", presets::HfMarian(7), 3);
  add_row("odd_d7_p3_hf_marian(ceil_sin|floor_cos)", "ctrl", presets::Ctrl(7), 3);
  add_row("odd_d7_p3_openai_ggml(zero)", "guided_diffusion", presets::GuidedDiffusion(7), 3);
  add_row("diffusers_scale1000_t0.5_d8_flip_shift0", "diffusers",
          presets::Diffusers(8, {.flip_sin_to_cos = true, .downscale_freq_shift = 0.0, .scale = 1000.0}), 0.5);
  add_row("t2t_min2_max100_d8_p3 (bug-compatible)", "tensor2tensor", presets::Tensor2Tensor(8, 2.0, 100.0), 3);
  add_row("mlx_fullturns_cosfirst_scale1_d8_x0.3", "mlx",
          presets::Mlx(8, {.scale = 1.0, .cos_first = true, .full_turns = true}), 0.3, {.angle = 2 * kRounding});
  add_row("negative_p-3_paper_d8", "paper", presets::Paper(8), -3);
  add("funasr_d560_row2", "funasr", [] {
    const Values table = Table(presets::FunAsr(560), 3);
    return Select({table.begin() + 2 * 560, table.end()}, {0, 1, 2, 279, 280, 281, 282, 559});
  });
  add_row("tcnn_frequency_n4_x0.3", "tiny_cuda_nn", presets::TinyCudaNn(4), 0.3, {.angle = 2 * kRounding});
  add_row("nerf_L4_x0.3_noinput", "nerf", presets::Nerf(4), 0.3, {.angle = kRounding});
  add("espnet_rel_T3_d4_rows(+2..-2)", "rel", [] { return Table(presets::RelPositionalEncoding(4), 3); });

  add("mae_2d_d16_x2_y1", "mae", [] { return SmallCell(presets::MaeAxis(16).spec, 8, 0); });
  add("bigvision_2d_d16_x2_y1", "big_vision", [] { return SmallCell(presets::BigVisionAxis(16).spec, 8, 0); });
  add("timm_2d_interleaveflag_d16_h1_w2", "timm", [] { return SmallCell(presets::TimmAxis(16).spec, 0, 8); });
  add("timm_2d_default_d16_h1_w2", "timm", TimmDefaultCell);
  add("detr_sine_npf8_y2_x3 (cumsum positions, channels [y|x])", "detr", [] {
    const Spec spec = presets::DetrAxis(8).spec;
    return Cell({spec, {1, 2}, 0, 1}, {spec, {1, 2, 3}, 8, 2});
  });
  add("detr_sine_normalized_npf8_y2of4_x3of5", "detr", [] { return NormalizedDetrCell(0.0); });
  add("deformable_detr_npf8_y2of4_x3of5", "deformable_detr", [] { return NormalizedDetrCell(0.5); });

  // Rotary.
  add("rope_sin_d8_p3", "rope", [] {
    const Planes planes = RopePlanes();
    return Values(std::begin(planes.sin), std::end(planes.sin));
  });
  add("rope_cos_d8_p3", "rope", [] {
    const Planes planes = RopePlanes();
    return Values(std::begin(planes.cos), std::end(planes.cos));
  });
  add("flux_matrix_d8_p3 [c,-s,s,c]*4", "rope", [] {
    const Planes planes = RopePlanes();
    Values values;
    for (std::size_t k = 0; k < 4; ++k) {
      for (const double value : {planes.cos[k], -planes.sin[k], planes.sin[k], planes.cos[k]}) values.push_back(value);
    }
    return values;
  });
  add("rope_inv_freq_d8", "rope", [] {
    Values values;
    for (const double w : presets::InvFreq(presets::Rope(8).spec)) values.push_back(w);
    return values;
  });
  add("rope_rotate_1..8_p3_interleaved(GPT-J,ggml NORMAL,MLX traditional)", "rotate",
      [] { return Rotated(Layout::kInterleaved); });
  add("rope_rotate_1..8_p3_halves(NeoX,Llama-HF,ggml NEOX)", "rotate", [] { return Rotated(Layout::kSplit); });
  add("llama3.1_inv_freq_d128_theta5e5_f8_lo1_hi4_8192", "llama3", [] {
    const std::vector<double> w = presets::RopeLlama3(128).spec.inv_freq;
    return WithinOneUlp({w[0], w[1], w[28], w[29], w[30], w[31], w[32], w[33], w[34], w[35], w[36], w[40], w[63]});
  });
  add("yarn_inv_freq_d128_base1e4_f4_orig2048", "yarn", [] {
    const Spec spec = presets::RopeYarn(128, 1e4, {.factor = 4, .original_max_position_embeddings = 2048}).spec;
    const std::vector<double>& w = spec.inv_freq;
    return WithinOneUlp(
        {w[0], w[1], w[16], w[20], w[21], w[24], w[28], w[32], w[40], w[45], w[46], w[63], spec.amplitude});
  });
  add("ntk_base_d128_f4", "ntk", [] { return WithinOneUlp({presets::RopeNtk(128, 1e4, 4).spec.base}); });
  add("dynamic_ntk_base_d128_f4_seq8192_max2048", "dynamic",
      [] { return WithinOneUlp({presets::RopeDynamicNtk(128, 1e4, 4, 8192, 2048).spec.base}); });
  add("longrope_attention_factor_4096->131072", "longrope", [] {
    const std::vector<double> ext_factors(64, 1.0);
    return WithinOneUlp({presets::RopeLongRope(128, 1e4, ext_factors, 131072.0 / 4096.0, 4096).spec.amplitude});
  });
  return cases;
}

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = MakeCases();
  return cases;
}

// The keys that no Spec gives, and why. README says so too.
const std::set<std::string>& NotExpressible() {
  static const std::set<std::string> keys = {
      // The last element of an odd row repeats the first cosine.
      "odd_d7_p3_marian_nmt(wrap: NOT expressible)",
      // The sine and the cosine of a pair have frequencies of their own.
      "caffe2_d8_p3 (per-channel frequency; NOT expressible with one freq per pair)"};
  return keys;
}

std::string CaseName(const testing::TestParamInfo<std::size_t>& index) {
  const Case& test = Cases()[index.param];
  std::string name = test.key + "_by_" + test.peer;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// The printed number is within half a unit of its 17th digit of the peer's, and so is got within half a ulp.
void ExpectPrinted(const Value& value, const std::string& printed) {
  Real want(200), difference(200), allowed(200);
  ASSERT_EQ(mpfr_set_str(want, printed.c_str(), 10, MPFR_RNDN), 0) << printed;
  mpfr_sub_d(difference, want, value.got, MPFR_RNDN);
  mpfr_abs(difference, difference, MPFR_RNDN);
  mpfr_abs(allowed, want, MPFR_RNDN);
  mpfr_mul_d(allowed, allowed, 5e-17, MPFR_RNDU);
  const double magnitude = std::abs(value.got);
  mpfr_add_d(allowed, allowed, 0.5 * (std::nextafter(magnitude, HUGE_VAL) - magnitude), MPFR_RNDU);
  mpfr_add_d(allowed, allowed, value.slack, MPFR_RNDU);
  EXPECT_LE(mpfr_cmp(difference, allowed), 0)
      << Describe(value.got) << " is not " << printed << ", but off by " << mpfr_get_d(difference, MPFR_RNDN);
}

class FingerprintsByKey : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(, FingerprintsByKey, testing::Range(std::size_t{0}, Cases().size()), CaseName);

TEST_P(FingerprintsByKey, Match) {
  const Case& test = Cases()[GetParam()];
  const auto at = std::find_if(Fingerprints().begin(), Fingerprints().end(),
                               [&test](const Fingerprint& print) { return print.key == test.key; });
  ASSERT_NE(at, Fingerprints().end()) << test.key;
  const Values values = test.evaluate();
  ASSERT_EQ(values.size(), at->values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    SCOPED_TRACE(test.key + " value " + std::to_string(i));
    ExpectPrinted(values[i], at->values[i]);
  }
}

TEST(Fingerprints, EveryKeyHasATestOrAReason) {
  std::set<std::string> tested;
  for (const Case& test : Cases()) tested.insert(test.key);
  for (const Fingerprint& print : Fingerprints()) {
    EXPECT_EQ(tested.count(print.key) + NotExpressible().count(print.key), 1u) << print.key;
  }
}

}  // namespace
}  // namespace posenc::test
