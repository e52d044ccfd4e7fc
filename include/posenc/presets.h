// What other programs compute, by the names they give it: the arguments of a peer go in, a Preset comes out, whose Spec
// Encoder::Make takes and whose other members say what the peer does around it.
//
//     const posenc::presets::Preset whisper = posenc::presets::Whisper(512);
//     const posenc::Result<posenc::Encoder> made = posenc::Encoder::Make(whisper.spec);
//
// How results differ from those of peers: here angles are exact and the result is rounded once. Peers form the angle in
// float, with an error of about 6e-8 * position (1e-4 at 4096), unless a comment says double; what is said of a peer's
// odd dim, first position or scale is what this file follows.
//
// w_k are the angular frequencies, k = 0 .. K-1, and d is dim. "Exclusive" is w_k = base^(-k/(d/2)), "inclusive"
// w_k = base^(-k/(d/2 - 1)); peers seldom say which they are.
//
// Arguments are not checked here. With arguments that mean nothing (a factor of 0, NaN, an odd rotary dim) the Spec is
// one that Encoder::Make refuses: by Error::kDim or kOddDim if it is the dim, else mostly by kBase, as base is then
// NaN. Nothing here throws: without memory for inv_freq, base is NaN too.
//
// Parameters that are double and not exact in binary (1e-4, pi) are taken as the doubles they are. std::pow and
// std::log are used where a comment says so, and may differ by a unit in the last place from one C library to another;
// all other Specs are the same on every machine.

#ifndef POSENC_PRESETS_H_
#define POSENC_PRESETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "posenc/posenc.h"

namespace posenc::presets {

// The positions of the rows of a table.
enum class Order : std::uint8_t {
  kAscending,   // first_position, first_position + 1, ...
  kDescending,  // length - 1, ..., 1, 0
  kRelative     // length - 1, ..., 0, ..., -(length - 1): 2 * length - 1 rows
};

// What a peer computes.
struct Preset {
  Spec spec = {};                   // what Encoder::Make takes
  Order order = Order::kAscending;  // of the rows of a table
  std::int64_t first_position = 0;  // of the first row, with kAscending
  double x_scale = 1.0;             // factor of the embeddings in EncodeAdd
};

// What EncodeRange takes.
struct Range {
  std::int64_t start = 0;  // position of the first row
  std::int64_t step = 1;   // from the position of a row to that of the next
  std::size_t count = 0;   // rows
};

// The rows of a sequence of `length`, at most 2^62, as the peer has them.
Range RangeOf(const Preset& preset, std::size_t length) noexcept;

// w_k * position_scale of a Spec, each rounded once to double: the buffer that peers call inv_freq, inv_timescales or
// omega, exact to the last bit from 2^-862 up. Empty if Encoder::Make refuses the Spec.
std::vector<double> InvFreq(const Spec& spec) noexcept;

// ---- Text and speech, additive ----

// "Attention Is All You Need"; flax nlp_seq sinusoidal_init. Exclusive, interleaved, from position 0. An odd dim is
// refused.
Preset Paper(std::size_t dim) noexcept;

// PositionalEncoding of the PyTorch tutorial and examples, ESPnet, WeNet and fairseq's conformer, and of OpenNMT-py
// with enc_type SinusoidalInterleaved: Paper on embeddings times sqrt(d_model). ESPnet's ScaledPositionalEncoding has
// x_scale 1 and a learned alpha: set spec.amplitude to it.
Preset PyTorchTutorial(std::size_t d_model) noexcept;

// RelPositionalEncoding of ESPnet and fairseq; parakeet.cpp (Firefox's copy: angles in double). Paper, rows from
// position T-1 down to -(T-1), returned and not added; embeddings times sqrt(d_model) all the same.
Preset RelPositionalEncoding(std::size_t d_model) noexcept;

// burn PositionalEncoding; max_timescale is base. burn asserts max_timescale >= length; there is no such limit here.
Preset Burn(std::size_t d_model, double max_timescale = 10000.0) noexcept;

// keras-hub SinePositionEncoding; max_wavelength is base. Positions are rounded to bfloat16 there under mixed
// precision, never here. An odd dim drops the last cosine.
Preset KerasHub(std::size_t dim, double max_wavelength = 10000.0) noexcept;

// HF XLM and DistilBERT create_sinusoidal_embeddings(n_pos, dim, out): angles in double there. An odd dim drops the
// last cosine.
Preset Xlm(std::size_t dim) noexcept;

// tensor2tensor get_timing_signal_1d and TF-models RelativePositionEmbedding, flax wmt and lm1b sinusoidal_init
// (min_scale, max_scale):
//     w_k = min_timescale * (max_timescale / min_timescale)^(-k/(K - 1))       split, a zero after an odd dim
// as the code has it: its docstring says timescales from min to max, its timescales run from 1/min to max/min^2.
// TF-models drops the zero of an odd dim, so its row is shorter.
Preset Tensor2Tensor(std::size_t channels, double min_timescale = 1.0, double max_timescale = 1e4) noexcept;

// fairseq SinusoidalPositionalEmbedding, HF M2M100 and Speech2Text: Tensor2Tensor from position padding_idx + 1, on
// embeddings times sqrt(embedding_dim) (embed_scale). Padding rows are zeros there: see "Batches" in README.
Preset Fairseq(std::size_t embedding_dim, std::int32_t padding_idx = 1) noexcept;

// Whisper sinusoids(length, channels, max_timescale), HF and candle Whisper, WeNet WhisperPositionalEncoding.
// Inclusive, split. An odd dim is refused.
Preset Whisper(std::size_t channels, double max_timescale = 10000.0) noexcept;

// OpenNMT-py with enc_type SinusoidalConcat: Whisper on embeddings times sqrt(dim).
Preset OpenNmtPyConcat(std::size_t dim) noexcept;

// OpenNMT-tf SinusoidalPositionEncoder, and CTranslate2's with scale_embeddings. Inclusive, split, first position 1, on
// embeddings times sqrt(depth). CTranslate2 gives NaN for depth 2; here w_0 is 1.
Preset OpenNmtTf(std::size_t depth) noexcept;
// OpenNmtTf.
Preset CTranslate2(std::size_t depth) noexcept;

// FunASR / Paraformer SinusoidalPositionEncoder, sherpa-onnx: inclusive, split, first position 1, on embeddings times
// sqrt(output_size), which is not the depth. FunASR forms the angle in the type of the model, float16 too.
Preset FunAsr(std::size_t depth = 560, std::size_t output_size = 512) noexcept;

// marian-nmt SinusoidalPositionEmbeddings, slimt, gemma.cpp AddAbsolutePositionalEmbeddings: inclusive, split,
// embeddings times sqrt(dim) (gemma.cpp rounds that to bfloat16). marian-nmt wraps an odd dim around; it is refused
// here.
Preset MarianNmt(std::size_t dim) noexcept;

// HF MarianSinusoidalPositionalEmbedding, for the same models as marian-nmt but exclusive: at dim 512 the two are 0.14
// apart at position 100. Split; with an odd dim ceil(d/2) sines and floor(d/2) cosines; embeddings times
// sqrt(embedding_dim). Angles in double there. CTranslate2's converter of models without Wpos, and candle, are the
// same.
Preset HfMarian(std::size_t embedding_dim) noexcept;

// HF CTRL positional_encoding(position, d_model_size, dtype): as HfMarian, angles in the dtype given.
Preset Ctrl(std::size_t d_model_size) noexcept;

// The TensorFlow text tutorial: as HfMarian, an odd depth is refused.
Preset TensorFlowTutorial(std::size_t depth) noexcept;

// Transformer-XL PositionalEmbedding(demb): exclusive, split, rows from position klen - 1 down to 0, not added. For
// clamp_len pass min(position, clamp_len) to Encode.
Preset TransformerXl(std::size_t demb) noexcept;

// x-transformers ScaledSinusoidalEmbedding: exclusive, split, amplitude dim^-1/2 (where its learned scale starts).
Preset XTransformersScaled(std::size_t dim, double theta = 10000.0) noexcept;

// MLX nn.SinusoidalPositionalEncoding:
//     sigma_k from max_freq down to min_freq, inclusive, times 2 pi with full_turns        split, amplitude `scale`
// Positions are any numbers. scale is sqrt(2 / dims) unless given.
struct MlxOptions {
  double min_freq = 1e-4;            // the last frequency, radians a position
  double max_freq = 1.0;             // the first frequency
  std::optional<double> scale = {};  // the amplitude
  bool cos_first = false;            // [cos | sin]
  bool full_turns = false;           // frequencies in turns a position
};
// The encoding of MlxOptions.
Preset Mlx(std::size_t dims, const MlxOptions& options = {}) noexcept;

// ---- Diffusion timesteps: pass them to Encode, fractions too ----

// DDPM get_timestep_embedding (hojonathanho), OpenVINO GenAI get_guidance_scale_embedding: inclusive, [sin | cos], a
// zero after an odd dim.
Preset Ddpm(std::size_t embedding_dim) noexcept;

// timestep_embedding(timesteps, dim, max_period) of guided-diffusion, Stable Diffusion (LDM), ggml_timestep_embedding,
// stable-diffusion.cpp and candle flux: exclusive, [cos | sin], a zero after an odd dim. Flux multiplies timesteps in
// [0, 1] by 1000: set spec.position_scale (time_factor).
Preset GuidedDiffusion(std::size_t dim, double max_period = 10000.0) noexcept;

// diffusers get_timestep_embedding and Timesteps, with their own defaults:
//     w_k = max_period^(-k/(half - downscale_freq_shift))      angle = scale * t * w_k      [sin | cos], a zero if odd
// `scale` multiplies timesteps, though its docstring says embeddings. Most models there say flip_sin_to_cos = true and
// downscale_freq_shift = 0, which is GuidedDiffusion. Shifts other than 0 and 1 use std::pow.
struct DiffusersOptions {
  bool flip_sin_to_cos = false;       // [cos | sin]
  double downscale_freq_shift = 1.0;  // less than half
  double scale = 1.0;                 // of timesteps
  double max_period = 10000.0;        // base
};
// The encoding of DiffusersOptions.
Preset Diffusers(std::size_t embedding_dim, const DiffusersOptions& options = {}) noexcept;

// EDM PositionalEmbedding(num_channels, max_positions, endpoint): [cos | sin], inclusive with endpoint, else exclusive.
// SongUNet swaps the halves afterwards: set spec.cos_first to false.
Preset Edm(std::size_t num_channels, double max_positions = 10000.0, bool endpoint = false) noexcept;

// EDM FourierEmbedding and diffusers GaussianFourierProjection: cos and sin of 2 pi * freqs[k] * x, [cos | sin].
// freqs are the model's random weights, times its scale.
Preset GaussianFourier(std::span<const double> freqs) noexcept;

// ---- Grids: the Spec of one axis, for EncodeGrid or for one call an axis with Rows::stride ----

// MAE get_2d_sincos_pos_embed(embed_dim, grid_size), diffusers (angles in double), MiniCPM-V in llama.cpp: x at column
// 0, y at column embed_dim/2, y the slow axis; MAE's variable emb_h holds x.
Preset MaeAxis(std::size_t embed_dim) noexcept;

// big_vision and MoCo-v3 posemb_sincos_2d(h, w, width, temperature): as MaeAxis, but inclusive.
Preset BigVisionAxis(std::size_t width, double temperature = 10000.0) noexcept;

// timm build_sincos2d_pos_embed(feat_shape, dim, temperature) with interleave_sin_cos (h at column 0, w at dim/2). Its
// default [sin h | sin w | cos h | cos w] is EncodePlanes: sines at 0 and dim/4, cosines at dim/2 and 3 dim/4.
Preset TimmAxis(std::size_t dim, double temperature = 10000.0) noexcept;

// DETR PositionEmbeddingSine(num_pos_feats, temperature): interleaved, y at column 0, x at column num_pos_feats, first
// position 1. With normalize, set spec.position_scale to scale / (number of rows or columns + 1e-6), scale 2 pi;
// Deformable DETR also takes 0.5 off each position.
Preset DetrAxis(std::size_t num_pos_feats = 64, double temperature = 10000.0) noexcept;

// ---- Coordinates ----

// NeRF positional encoding of one coordinate: sin(2^k x), cos(2^k x), k = 0 .. levels - 1, without the input. Several
// coordinates stand there frequency by frequency; here each is a row of its own.
Preset Nerf(std::size_t levels) noexcept;

// tiny-cuda-nn Frequency encoding of one coordinate: sin(2^k pi x), cos(2^k pi x). Coordinate after coordinate, as
// there. Its cosine is a fast sine of x + pi/2, so it is less exact. At most 63 frequencies.
Preset TinyCudaNn(std::size_t n_frequencies) noexcept;

// ---- Rotary ----
//
// For Rotate, EncodePlanes (cos_cache, sin_cache) and EncodeRange. dim is rotary_dim. spec.layout is kSplit: pairs
// (k, k + dim/2), which is rotate_half, is_neox, ggml NEOX. For pairs (2k, 2k + 1), which is rotate_every_two, MLX
// traditional, ggml NORMAL, set it to kInterleaved. For [cos | sin] rows, as in the cos_sin_cache of vLLM and XNNPACK,
// set spec.cos_first.

// base is rope_theta, theta, freq_base, max_wavelength: w_k = base^(-2k/dim).
Preset Rope(std::size_t dim, double base = 10000.0) noexcept;

// rope_type "linear": inv_freq / factor, which is a position_scale of 1/factor (ggml freq_scale, MLX scale).
Preset RopeLinear(std::size_t dim, double base, double factor) noexcept;

// NTK-aware scaling: base * factor^(dim/(dim - 2)), by std::pow.
Preset RopeNtk(std::size_t dim, double base, double factor) noexcept;

// HF rope_type "dynamic": NTK-aware scaling by factor * seq_len/max_position_embeddings - (factor - 1) once seq_len is
// beyond max_position_embeddings. keras-hub's "dynamic" is another formula.
Preset RopeDynamicNtk(std::size_t dim, double base, double factor, double seq_len,
                      double max_position_embeddings) noexcept;

// HF rope_type "yarn": between the dimensions that turn beta_fast and beta_slow times in the original context, inv_freq
// goes from itself to inv_freq / factor; amplitude is attention_factor, or 0.1 * ln(factor) + 1. std::log is used for
// both. truncate rounds the two dimensions to integers, as HF does; keras-hub does not by default.
struct YarnOptions {
  double factor = 1.0;                            // new length of the context over the original one
  double original_max_position_embeddings = 0.0;  // the original one, in tokens; to be given
  double beta_fast = 32.0;                        // turns in it from which a frequency is kept
  double beta_slow = 1.0;                         // turns in it up to which a frequency is divided
  std::optional<double> attention_factor = {};    // the amplitude
  bool truncate = true;                           // the two dimensions are integers
};
// The frequencies of YarnOptions.
Preset RopeYarn(std::size_t dim, double base, const YarnOptions& options) noexcept;

// HF rope_type "longrope" (Phi-3 "su"): inv_freq / ext_factors[k], for the long_factor or short_factor list that the
// length of the sequence asks for; amplitude is sqrt(1 + ln(factor)/ln(original_max_position_embeddings)) by std::log,
// 1 if factor <= 1. factor is max_position_embeddings / original_max_position_embeddings, a quotient of doubles;
// CTranslate2 divides integers.
Preset RopeLongRope(std::size_t dim, double base, std::span<const double> ext_factors, double factor,
                    double original_max_position_embeddings) noexcept;

// HF rope_type "llama3": inv_freq of wavelengths above original/low_freq_factor is divided by factor, below
// original/high_freq_factor kept, blended between.
struct Llama3Options {
  double factor = 8.0;                               // divides the lowest frequencies
  double low_freq_factor = 1.0;                      // turns in the original context up to which they count as low
  double high_freq_factor = 4.0;                     // turns in it from which they are kept
  double original_max_position_embeddings = 8192.0;  // the original context, in tokens
};
// The frequencies of Llama3Options.
Preset RopeLlama3(std::size_t dim, double base = 500000.0, const Llama3Options& options = {}) noexcept;

// ---- By name ----

// A preset that needs a dim only; further arguments are the defaults above.
struct NamedPreset {
  std::string_view name;   // in lower case with hyphens, e.g. "hf-marian"
  std::string_view about;  // one line for a list on a screen
  // Makes the preset of a dim.
  Preset (*make)(std::size_t dim) noexcept;
};

// All of them, by alphabet.
std::span<const NamedPreset> All() noexcept;

// Null if there is no such name.
const NamedPreset* Find(std::string_view name) noexcept;

}  // namespace posenc::presets

#endif  // POSENC_PRESETS_H_
