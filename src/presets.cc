// Room presets: the arguments of a peer go in, a Spec that computes the same comes out. It uses the door only, also for
// its own arithmetic: an exact frequency is read off the sine of a tiny position.

#include "posenc/presets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "posenc/posenc.h"
#include "src/heap.h"

namespace posenc::presets {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

// Not std::isfinite, which -ffast-math lets a compiler drop. NaN is not positive.
bool IsPositive(double value) noexcept { return value > 0.0 && value <= std::numeric_limits<double>::max(); }

// The square root of a size, as peers take it in double.
double Root(std::size_t dim) noexcept { return std::sqrt(static_cast<double>(dim)); }

Preset Geometric(std::size_t dim, double base, Spacing spacing, Layout layout, OddDim odd = OddDim::kError) noexcept {
  Preset preset;
  preset.spec.dim = dim;
  preset.spec.base = base;
  preset.spec.spacing = spacing;
  preset.spec.layout = layout;
  preset.spec.odd = odd;
  return preset;
}

// Half of a row. An odd row has none, and stays odd so that it is refused.
std::size_t HalfRow(std::size_t dim) noexcept { return dim % 2 == 0 ? dim / 2 : dim; }

// Makes Encoder::Make refuse the Spec, by the rule of its dim if that is broken, else by kBase.
void Refuse(Preset& preset) noexcept {
  preset.spec.inv_freq.clear();
  preset.spec.base = std::numeric_limits<double>::quiet_NaN();
}

// Replaces inv_freq[k] of a Rope preset by scale(k, inv_freq[k]). The frequencies given to it are rounded once.
template <class Scale>
void ScaleInvFreq(Preset& rope, const Scale& scale) noexcept {
  rope.spec.inv_freq = InvFreq(rope.spec);
  if (rope.spec.inv_freq.empty()) return Refuse(rope);
  for (std::size_t k = 0; k < rope.spec.inv_freq.size(); ++k) {
    rope.spec.inv_freq[k] = scale(k, rope.spec.inv_freq[k]);
  }
}

// 1, 2, 4 ... as frequencies, sine and cosine of each together. From 2^64 on Encoder::Make refuses them anyway, so the
// list need not be longer.
Preset PowersOfTwo(std::size_t count, double position_scale) noexcept {
  constexpr std::size_t kMost = 66;
  Preset preset;
  preset.spec.dim = 2 * std::min(count, kMost);
  preset.spec.position_scale = position_scale;
  if (!Resize(preset.spec.inv_freq, preset.spec.dim / 2)) Refuse(preset);
  for (std::size_t k = 0; k < preset.spec.inv_freq.size(); ++k) {
    preset.spec.inv_freq[k] = std::ldexp(1.0, static_cast<int>(k));
  }
  return preset;
}

// The same in rows of `dim`, which is refused if it is odd.
Preset EvenPowersOfTwo(std::size_t dim, double position_scale) noexcept {
  Preset preset = PowersOfTwo(dim / 2, position_scale);
  if (dim % 2 != 0) preset.spec.dim = dim;
  return preset;
}

}  // namespace

Range RangeOf(const Preset& preset, std::size_t length) noexcept {
  const auto last = static_cast<std::int64_t>(length) - 1;
  switch (preset.order) {
    case Order::kAscending:
      break;
    case Order::kDescending:
      return {last, -1, length};
    case Order::kRelative:
      return {last, -1, length == 0 ? 0 : 2 * length - 1};
  }
  return {preset.first_position, 1, length};
}

// sin(2^-160 w) is 2^-160 w (1 - e) with e < 2^-194 for w <= 2^64, and it is rounded once: that is w, rounded once, as
// a frequency from a base is a power of two or lies on no boundary of rounding. Explicit ones times position_scale may
// lie on one, and are a product.
std::vector<double> InvFreq(const Spec& spec) noexcept {
  Spec probe;
  if (!Copy(spec, probe)) return {};
  probe.amplitude = 1.0;
  probe.layout = Layout::kSplit;
  probe.cos_first = false;
  const Result<Encoder> made = Encoder::Make(probe);
  std::vector<double> row;
  if (!made) return {};
  if (!spec.inv_freq.empty()) {
    if (!Resize(row, spec.inv_freq.size())) return {};
    std::transform(spec.inv_freq.begin(), spec.inv_freq.end(), row.begin(),
                   [&spec](double w) { return w * spec.position_scale; });
    return row;
  }
  constexpr double kTiny = 0x1p-160;
  if (!Resize(row, spec.dim)) return {};
  if (made.value.Encode(std::span<const double>(&kTiny, 1), Rows<double>{row.data(), 1}) != Error::kNone) return {};
  const std::size_t count = spec.odd == OddDim::kDropCos ? (spec.dim + 1) / 2 : spec.dim / 2;
  if (!Resize(row, count)) return {};
  for (double& value : row) value *= 0x1p160;
  return row;
}

Preset Paper(std::size_t dim) noexcept { return Geometric(dim, 10000.0, Spacing::kExclusive, Layout::kInterleaved); }

Preset PyTorchTutorial(std::size_t d_model) noexcept {
  Preset preset = Paper(d_model);
  preset.x_scale = Root(d_model);
  return preset;
}

Preset RelPositionalEncoding(std::size_t d_model) noexcept {
  Preset preset = PyTorchTutorial(d_model);
  preset.order = Order::kRelative;
  return preset;
}

Preset Burn(std::size_t d_model, double max_timescale) noexcept {
  return Geometric(d_model, max_timescale, Spacing::kExclusive, Layout::kInterleaved);
}

Preset KerasHub(std::size_t dim, double max_wavelength) noexcept {
  return Geometric(dim, max_wavelength, Spacing::kExclusive, Layout::kInterleaved, OddDim::kDropCos);
}

Preset Xlm(std::size_t dim) noexcept { return KerasHub(dim, 10000.0); }

Preset Tensor2Tensor(std::size_t channels, double min_timescale, double max_timescale) noexcept {
  Preset preset =
      Geometric(channels, max_timescale / min_timescale, Spacing::kInclusive, Layout::kSplit, OddDim::kZero);
  preset.spec.position_scale = min_timescale;
  return preset;
}

Preset Fairseq(std::size_t embedding_dim, std::int32_t padding_idx) noexcept {
  Preset preset = Tensor2Tensor(embedding_dim);
  preset.x_scale = Root(embedding_dim);
  preset.first_position = std::int64_t{padding_idx} + 1;
  return preset;
}

Preset Whisper(std::size_t channels, double max_timescale) noexcept {
  return Geometric(channels, max_timescale, Spacing::kInclusive, Layout::kSplit);
}

Preset OpenNmtPyConcat(std::size_t dim) noexcept {
  Preset preset = Whisper(dim);
  preset.x_scale = Root(dim);
  return preset;
}

Preset OpenNmtTf(std::size_t depth) noexcept { return FunAsr(depth, depth); }

Preset CTranslate2(std::size_t depth) noexcept { return OpenNmtTf(depth); }

Preset FunAsr(std::size_t depth, std::size_t output_size) noexcept {
  Preset preset = Whisper(depth);
  preset.x_scale = Root(output_size);
  preset.first_position = 1;
  return preset;
}

Preset MarianNmt(std::size_t dim) noexcept { return OpenNmtPyConcat(dim); }

Preset HfMarian(std::size_t embedding_dim) noexcept {
  Preset preset = Geometric(embedding_dim, 10000.0, Spacing::kExclusive, Layout::kSplit, OddDim::kDropCos);
  preset.x_scale = Root(embedding_dim);
  return preset;
}

Preset Ctrl(std::size_t d_model_size) noexcept { return HfMarian(d_model_size); }

Preset TensorFlowTutorial(std::size_t depth) noexcept {
  Preset preset = Rope(depth);
  preset.x_scale = Root(depth);
  return preset;
}

Preset TransformerXl(std::size_t demb) noexcept {
  Preset preset = Rope(demb);
  preset.order = Order::kDescending;
  return preset;
}

Preset XTransformersScaled(std::size_t dim, double theta) noexcept {
  Preset preset = Geometric(dim, theta, Spacing::kExclusive, Layout::kSplit);
  preset.spec.amplitude = 1.0 / Root(dim);
  return preset;
}

Preset Mlx(std::size_t dims, const MlxOptions& options) noexcept {
  Preset preset = Geometric(dims, options.max_freq / options.min_freq, Spacing::kInclusive, Layout::kSplit);
  preset.spec.position_scale = options.full_turns ? kTwoPi * options.max_freq : options.max_freq;
  preset.spec.amplitude = options.scale.value_or(std::sqrt(2.0 / static_cast<double>(dims)));
  preset.spec.cos_first = options.cos_first;
  return preset;
}

Preset Ddpm(std::size_t embedding_dim) noexcept { return Tensor2Tensor(embedding_dim); }

Preset GuidedDiffusion(std::size_t dim, double max_period) noexcept {
  return Diffusers(dim, {.flip_sin_to_cos = true, .downscale_freq_shift = 0.0, .max_period = max_period});
}

Preset Diffusers(std::size_t embedding_dim, const DiffusersOptions& options) noexcept {
  const double shift = options.downscale_freq_shift;
  Preset preset = Geometric(embedding_dim, options.max_period, shift == 1.0 ? Spacing::kInclusive : Spacing::kExclusive,
                            Layout::kSplit, OddDim::kZero);
  if (shift != 0.0 && shift != 1.0) {
    // base^(-k/half) of this base is max_period^(-k/(half - shift)).
    const auto half = static_cast<double>(embedding_dim / 2);
    preset.spec.base = std::pow(options.max_period, half / (half - shift));
  }
  preset.spec.position_scale = options.scale;
  preset.spec.cos_first = options.flip_sin_to_cos;
  return preset;
}

Preset Edm(std::size_t num_channels, double max_positions, bool endpoint) noexcept {
  Preset preset =
      Geometric(num_channels, max_positions, endpoint ? Spacing::kInclusive : Spacing::kExclusive, Layout::kSplit);
  preset.spec.cos_first = true;
  return preset;
}

Preset GaussianFourier(std::span<const double> freqs) noexcept {
  Preset preset = Edm(2 * freqs.size());
  preset.spec.position_scale = kTwoPi;
  if (!Resize(preset.spec.inv_freq, freqs.size())) {
    Refuse(preset);
  } else {
    std::copy(freqs.begin(), freqs.end(), preset.spec.inv_freq.begin());
  }
  return preset;
}

Preset MaeAxis(std::size_t embed_dim) noexcept {
  return Geometric(HalfRow(embed_dim), 10000.0, Spacing::kExclusive, Layout::kSplit);
}

Preset BigVisionAxis(std::size_t width, double temperature) noexcept { return Whisper(HalfRow(width), temperature); }

Preset TimmAxis(std::size_t dim, double temperature) noexcept {
  return Geometric(HalfRow(dim), temperature, Spacing::kExclusive, Layout::kSplit);
}

Preset DetrAxis(std::size_t num_pos_feats, double temperature) noexcept {
  Preset preset = Burn(num_pos_feats, temperature);
  preset.first_position = 1;
  return preset;
}

Preset Nerf(std::size_t levels) noexcept { return PowersOfTwo(levels, 1.0); }

Preset TinyCudaNn(std::size_t n_frequencies) noexcept { return PowersOfTwo(n_frequencies, std::numbers::pi); }

Preset Rope(std::size_t dim, double base) noexcept { return Geometric(dim, base, Spacing::kExclusive, Layout::kSplit); }

Preset RopeLinear(std::size_t dim, double base, double factor) noexcept {
  Preset preset = Rope(dim, base);
  preset.spec.position_scale = 1.0 / factor;
  if (!IsPositive(factor)) Refuse(preset);
  return preset;
}

// factor^(dim/(dim - 2)) is factor * factor^(2/(dim - 2)): rounding the small exponent does less harm.
Preset RopeNtk(std::size_t dim, double base, double factor) noexcept {
  Preset preset = Rope(dim, base * factor * std::pow(factor, 2.0 / (static_cast<double>(dim) - 2.0)));
  if (!IsPositive(factor)) Refuse(preset);
  return preset;
}

Preset RopeDynamicNtk(std::size_t dim, double base, double factor, double seq_len,
                      double max_position_embeddings) noexcept {
  const bool is_valid = IsPositive(factor) && IsPositive(seq_len) && IsPositive(max_position_embeddings);
  if (is_valid && seq_len > max_position_embeddings) {
    return RopeNtk(dim, base, factor * seq_len / max_position_embeddings - (factor - 1.0));
  }
  Preset preset = Rope(dim, base);
  if (!is_valid) Refuse(preset);
  return preset;
}

Preset RopeYarn(std::size_t dim, double base, const YarnOptions& options) noexcept {
  Preset preset = Rope(dim, base);
  const double factor = options.factor;
  if (!IsPositive(factor) || !IsPositive(options.original_max_position_embeddings) || !IsPositive(options.beta_fast) ||
      !IsPositive(options.beta_slow) || !IsPositive(base)) {
    Refuse(preset);
    return preset;
  }
  preset.spec.amplitude = options.attention_factor.value_or(factor > 1.0 ? 0.1 * std::log(factor) + 1.0 : 1.0);
  // The dimension whose angle makes so many turns in the original context.
  const auto width = static_cast<double>(dim);
  const auto dimension_of = [&](double turns) {
    return width * std::log(options.original_max_position_embeddings / (turns * kTwoPi)) / (2.0 * std::log(base));
  };
  double low = dimension_of(options.beta_fast);
  double high = dimension_of(options.beta_slow);
  if (options.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, width - 1.0);
  if (low == high) high += 0.001;
  ScaleInvFreq(preset, [=](std::size_t k, double w) {
    const double ramp = std::clamp((static_cast<double>(k) - low) / (high - low), 0.0, 1.0);
    return w * (1.0 - ramp) + w / factor * ramp;
  });
  return preset;
}

Preset RopeLongRope(std::size_t dim, double base, std::span<const double> ext_factors, double factor,
                    double original_max_position_embeddings) noexcept {
  Preset preset = Rope(dim, base);
  if (ext_factors.size() != dim / 2 || !std::all_of(ext_factors.begin(), ext_factors.end(), IsPositive) ||
      !IsPositive(factor) || !IsPositive(original_max_position_embeddings)) {
    Refuse(preset);
    return preset;
  }
  if (factor > 1.0) {
    preset.spec.amplitude = std::sqrt(1.0 + std::log(factor) / std::log(original_max_position_embeddings));
  }
  ScaleInvFreq(preset, [=](std::size_t k, double w) { return w / ext_factors[k]; });
  return preset;
}

Preset RopeLlama3(std::size_t dim, double base, const Llama3Options& options) noexcept {
  Preset preset = Rope(dim, base);
  const double factor = options.factor;
  const double low = options.low_freq_factor;
  const double high = options.high_freq_factor;
  const double original = options.original_max_position_embeddings;
  if (!IsPositive(factor) || !IsPositive(low) || !IsPositive(high) || !IsPositive(original)) {
    Refuse(preset);
    return preset;
  }
  ScaleInvFreq(preset, [=](std::size_t, double w) {
    const double wavelength = kTwoPi / w;
    if (wavelength > original / low) return w / factor;
    if (wavelength < original / high) return w;
    const double smooth = (original / wavelength - low) / (high - low);
    return (1.0 - smooth) * w / factor + smooth * w;
  });
  return preset;
}

namespace {

// By alphabet: Find() halves it.
constexpr NamedPreset kAll[] = {
    {"big-vision", "big_vision posemb_sincos_2d, one axis of width/2: inclusive, split",
     [](std::size_t dim) noexcept { return Whisper(dim); }},
    {"burn", "burn PositionalEncoding: the paper", [](std::size_t dim) noexcept { return Burn(dim); }},
    {"ctranslate2", "CTranslate2 SinusoidalPositionEncoder: inclusive, split, from position 1", CTranslate2},
    {"ctrl", "HF CTRL: exclusive, split", Ctrl},
    {"ddpm", "DDPM get_timestep_embedding: inclusive, [sin | cos]", Ddpm},
    {"detr", "DETR PositionEmbeddingSine, one axis of num_pos_feats: exclusive, interleaved, from position 1",
     [](std::size_t dim) noexcept { return DetrAxis(dim); }},
    {"diffusers", "diffusers Timesteps with its defaults: inclusive, [sin | cos]",
     [](std::size_t dim) noexcept { return Diffusers(dim); }},
    {"distilbert", "HF DistilBERT: the paper, any dim", Xlm},
    {"edm", "EDM PositionalEmbedding: exclusive, [cos | sin]", [](std::size_t dim) noexcept { return Edm(dim); }},
    {"espnet", "ESPnet PositionalEncoding: the paper", PyTorchTutorial},
    {"espnet-rel", "ESPnet RelPositionalEncoding: the paper, rows +T-1 ... -(T-1)", RelPositionalEncoding},
    {"fairseq", "fairseq SinusoidalPositionalEmbedding: inclusive, split, from position 2",
     [](std::size_t dim) noexcept { return Fairseq(dim); }},
    {"flax-wmt", "flax wmt sinusoidal_init: inclusive, split",
     [](std::size_t dim) noexcept { return Tensor2Tensor(dim); }},
    {"funasr", "FunASR SinusoidalPositionEncoder: inclusive, split, from position 1",
     [](std::size_t dim) noexcept { return FunAsr(dim); }},
    {"gemma-cpp", "gemma.cpp AddAbsolutePositionalEmbeddings: inclusive, split", MarianNmt},
    {"ggml", "ggml_timestep_embedding: exclusive, [cos | sin]",
     [](std::size_t dim) noexcept { return GuidedDiffusion(dim); }},
    {"guided-diffusion", "guided-diffusion timestep_embedding: exclusive, [cos | sin]",
     [](std::size_t dim) noexcept { return GuidedDiffusion(dim); }},
    {"hf-marian", "HF MarianMT: exclusive, split", HfMarian},
    {"keras-hub", "keras-hub SinePositionEncoding: the paper, any dim",
     [](std::size_t dim) noexcept { return KerasHub(dim); }},
    {"llama3", "Llama 3.1 rotary frequencies, theta 500000, factor 8: split",
     [](std::size_t dim) noexcept { return RopeLlama3(dim); }},
    {"m2m100", "HF M2M100: inclusive, split, from position 2", [](std::size_t dim) noexcept { return Fairseq(dim); }},
    {"mae", "MAE get_2d_sincos_pos_embed, one axis of embed_dim/2: exclusive, split",
     [](std::size_t dim) noexcept { return Rope(dim); }},
    {"marian-nmt", "marian-nmt: inclusive, split", MarianNmt},
    {"mlx", "MLX SinusoidalPositionalEncoding: inclusive, split, amplitude sqrt(2/dim)",
     [](std::size_t dim) noexcept { return Mlx(dim); }},
    {"nerf", "NeRF, frequencies 1, 2, 4, ...: interleaved",
     [](std::size_t dim) noexcept { return EvenPowersOfTwo(dim, 1.0); }},
    {"opennmt-py", "OpenNMT-py SinusoidalInterleaved: the paper", PyTorchTutorial},
    {"opennmt-py-concat", "OpenNMT-py SinusoidalConcat: inclusive, split", OpenNmtPyConcat},
    {"opennmt-tf", "OpenNMT-tf SinusoidalPositionEncoder: inclusive, split, from position 1", OpenNmtTf},
    {"paper", "Attention Is All You Need, \"the paper\": exclusive, interleaved", Paper},
    {"paraformer", "Paraformer: inclusive, split, from position 1",
     [](std::size_t dim) noexcept { return FunAsr(dim); }},
    {"pytorch-tutorial", "the PyTorch transformer tutorial: the paper", PyTorchTutorial},
    {"rope", "rotary frequencies, base 10000: exclusive, split", [](std::size_t dim) noexcept { return Rope(dim); }},
    {"stable-diffusion", "Stable Diffusion timestep_embedding: exclusive, [cos | sin]",
     [](std::size_t dim) noexcept { return GuidedDiffusion(dim); }},
    {"tensor2tensor", "tensor2tensor get_timing_signal_1d: inclusive, split",
     [](std::size_t dim) noexcept { return Tensor2Tensor(dim); }},
    {"tensorflow-tutorial", "the TensorFlow text tutorial: exclusive, split", TensorFlowTutorial},
    {"timm", "timm build_sincos2d_pos_embed interleave_sin_cos, one axis of dim/2: exclusive, split",
     [](std::size_t dim) noexcept { return Rope(dim); }},
    {"tiny-cuda-nn", "tiny-cuda-nn Frequency, frequencies pi, 2 pi, 4 pi, ...: interleaved",
     [](std::size_t dim) noexcept { return EvenPowersOfTwo(dim, std::numbers::pi); }},
    {"transformer-xl", "Transformer-XL: exclusive, split, positions descending", TransformerXl},
    {"wenet", "WeNet PositionalEncoding: the paper", PyTorchTutorial},
    {"whisper", "Whisper sinusoids: inclusive, split", [](std::size_t dim) noexcept { return Whisper(dim); }},
    {"x-transformers", "x-transformers ScaledSinusoidalEmbedding: exclusive, split, amplitude dim^-1/2",
     [](std::size_t dim) noexcept { return XTransformersScaled(dim); }},
    {"xlm", "HF XLM: the paper, any dim", Xlm},
};

}  // namespace

std::span<const NamedPreset> All() noexcept { return kAll; }

const NamedPreset* Find(std::string_view name) noexcept {
  const auto* const at =
      std::lower_bound(std::begin(kAll), std::end(kAll), name,
                       [](const NamedPreset& preset, std::string_view key) { return preset.name < key; });
  return at != std::end(kAll) && at->name == name ? at : nullptr;
}

}  // namespace posenc::presets
