// The door of posenc: a Spec goes in, an Encoder comes out, and the Encoder writes rows of position encodings.
//
//     PE(p, 2k)   = amplitude * sin(p * position_scale * w_k)        k = 0, 1, ...
//     PE(p, 2k+1) = amplitude * cos(p * position_scale * w_k)        w_k = base^(-2k/dim)
//
// (Vaswani et al. 2017, "Attention Is All You Need", section 3.5.)
//
// Contract: one rounding. Every element written is the exact real value of the documented formula, rounded once, to
// nearest with ties to even, to the type of the output. Inputs are taken as the exact numbers they hold. So the bits
// are the same on every CPU, for every count, offset, stride and split over threads.
//
// Nothing here throws, aborts, prints or starts a thread. Only Encoder::Make allocates; a call takes up to 96 KiB of
// stack. An Error other than kNone means that nothing has been written.

#ifndef POSENC_POSENC_H_
#define POSENC_POSENC_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace posenc {

// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits.
struct Half {
  std::uint16_t bits;  // sign first: 0x3C00 is 1
};

// The upper half of an IEEE 754 binary32: 1 sign, 8 exponent and 7 fraction bits.
struct BFloat16 {
  std::uint16_t bits;  // sign first: 0x3F80 is 1
};

// Where the sine s_k and the cosine c_k of frequency k stand in a row.
enum class Layout : std::uint8_t {
  kInterleaved,  // s0 c0 s1 c1 ...
  kSplit         // s0 s1 ... c0 c1 ...
};

// How the exponents of w_k = base^(-k/D) are spaced. n is dim/2 (a real quotient) with OddDim::kDropCos, else
// floor(dim/2). With a single frequency w_0 = 1 in both.
enum class Spacing : std::uint8_t {
  kExclusive,  // D = n: the paper; freq_shift 0 elsewhere
  kInclusive   // D = n - 1: an even dim ends at 1/base; freq_shift 1 or endpoint elsewhere
};

// What an odd dim means.
enum class OddDim : std::uint8_t {
  kError,   // it is refused
  kZero,    // floor(dim/2) pairs, the last element of the row is 0
  kDropCos  // ceil(dim/2) frequencies, the last one without its cosine
};

// What to encode. Every field has a meaning of its own; the defaults are those of the paper.
struct Spec {
  std::size_t dim = 0;                    // elements in a row, from 1 to 2^26
  double base = 10000.0;                  // > 0; also known as max_period, max_timescale, theta, temperature
  Spacing spacing = Spacing::kExclusive;  // of the exponents of base
  std::vector<double> inv_freq = {};      // not empty: w_k = inv_freq[k], and base and spacing are not used
  double position_scale = 1.0;            // multiplies positions; finite
  double amplitude = 1.0;                 // multiplies sin and cos; finite
  Layout layout = Layout::kInterleaved;   // where sines and cosines stand in a row
  bool cos_first = false;       // swaps the places of sines and cosines: c0 s0 c1 s1 ... or c0 c1 ... s0 s1 ...
  OddDim odd = OddDim::kError;  // what an odd dim means
};

// The rules of this API. Each enumerator is one rule, and its comment says what is allowed.
enum class Error : std::uint8_t {
  kNone = 0,
  kDim,            // Spec::dim is from 1 to 2^26
  kOddDim,         // Spec::dim is even, unless Spec::odd is kZero or kDropCos
  kBase,           // Spec::base is finite and greater than 0
  kInvFreqSize,    // Spec::inv_freq is empty or holds one value a frequency: floor(dim/2), or ceil(dim/2) with kDropCos
  kInvFreq,        // every value of Spec::inv_freq is finite
  kPositionScale,  // Spec::position_scale is finite
  kAmplitude,      // Spec::amplitude is finite
  kFrequency,      // |w_k * position_scale| is at most 2^64 for every frequency
  kLayout,         // Spec::layout is kInterleaved or kSplit
  kSpacing,        // Spec::spacing is kExclusive or kInclusive
  kOdd,            // Spec::odd is kError, kZero or kDropCos
  kMemory,         // Make could allocate what the encoder needs
  kNotMade,        // the encoder came from Encoder::Make and has not been moved from
  kOutNull,        // Rows::data of the output is not null, unless count is 0
  kOutStride,      // Rows::stride of the output is 0 or at least the elements of a row (dim in most calls)
  kOutSize,        // count * stride * sizeof(T) of the output is below 2^63
  kRange,          // start + (count - 1) * step is an int64
  kPositionCount,  // positions holds one position a row of the output
  kPosition,       // every position is NaN, infinite, or at most 2^63 in absolute value
  kXNull,          // Rows::data of x is not null, unless count is 0
  kXCount,         // x has as many rows as the output
  kXStride,        // Rows::stride of x is 0 or at least dim
  kXSize,          // count * stride * sizeof(T) of x is below 2^63
  kXScale,         // x_scale is finite
  kXOverlap,       // the output is x itself (same data and stride), or shares no memory with it
  kPositionOverlap,  // positions share no memory with the output
  kPlaneCount,       // the sines and the cosines of EncodePlanes have as many rows
  kPlaneOverlap,     // the sines and the cosines of EncodePlanes share no element
  kGridCount,        // the output of EncodeGrid has one row a cell: the product of the lengths of the axes
  kAxisColumns,      // columns column .. column + dim - 1 of an axis of a grid are its own, and below 2^63
  kUnpairedSine,     // for Similarity every sine has its cosine: dim is even, or Spec::odd is kZero
  kOffsetCount,      // Similarity writes one value an offset
  kOffsetOverlap,    // the offsets of Similarity share no memory with its output
  kPointer,          // C: no pointer is NULL, unless its comment in c_api.h allows it
  kSpecSize,         // C: posenc_spec::size is what posenc_default_spec sets, in this version or an earlier one
  kElementType,      // C: a posenc_dtype is one of those declared
  kPositionType,     // C: a posenc_position_type is one of those declared
  kEvenDim,          // for Rotate dim is even: every element has a partner
  kHeadShape         // HeadShape::head_dim is 0 or at least dim, and heads * head_dim * sizeof(T) is below 2^63
};

// A sentence that names the field and what is allowed. Never null; a value outside the enumeration gives a sentence
// too.
const char* Message(Error error) noexcept;

// How rows are stored. Past the caches is faster for what is not read soon: a table in memory is filled up to twice as
// fast, and what the caches hold stays there; but whoever reads it next waits for memory. Elements are the same.
enum class Stores : std::uint8_t {
  // kStreamed from 8 MiB a call on, kCached below.
  kAuto,
  kCached,  // through the caches
  // Past the caches, and there before the call returns. Through them all the same: rows that are x itself; lists of
  // positions and sums of kSplit, unless rows and their halves are aligned to 64 bytes; CPUs without SSE or AVX, and
  // with SSE alone what is stored 8 bytes at a time, such as halves and floats of kSplit.
  kStreamed,
};

// The caller's memory: row r is the dim elements from data + r * stride. Elements between rows are left alone.
// No alignment beyond that of T is needed.
template <class T>
struct Rows {
  T* data = nullptr;       // the first element of the first row
  std::size_t count = 0;   // rows; 0: nothing is read or written, and data may be null
  std::size_t stride = 0;  // elements from a row to the next; 0 means dim, or the elements that a call says rows have
  Stores stores = Stores::kAuto;  // of rows that are written; those of sin for both planes
};

// The heads of a row that is rotated: heads of them, head_dim elements apart.
struct HeadShape {
  std::size_t heads = 1;     // in a row
  std::size_t head_dim = 0;  // 0 means dim
};

// A value or the rule that was broken.
template <class T>
struct [[nodiscard]] Result {
  T value{};                   // of use only without an error
  Error error = Error::kNone;  // the first rule that was broken
  // Whether there is a value.
  explicit operator bool() const noexcept { return error == Error::kNone; }
};

struct EncoderState;

// Writes encodings of one Spec. Immutable after Make: const calls from many threads at once are safe, and copies share
// their tables. The threads of a caller may split the rows of a table as they like; the bits do not depend on it.
class Encoder {
 public:
  // An encoder that answers every call with Error::kNotMade, so that Result<Encoder> has a value to start from.
  Encoder() noexcept = default;

  // Validates spec, computes the frequencies and allocates the tables: about 670 bytes and 0.2 microseconds a
  // frequency. Returns the encoder or the first rule of Error that spec breaks.
  static Result<Encoder> Make(const Spec& spec);

  // The spec given to Make.
  const Spec& spec() const noexcept;

  // T: float, double, Half, BFloat16. P: std::int32_t, std::int64_t, float, double. On an error nothing has been
  // written.
  //
  // Positions are the exact numbers given: any int64, any float or double of at most 2^63 in absolute value. Position 0
  // gives exactly amplitude * (0, 1), -0.0 a negative zero. A NaN or infinite position gives quiet NaNs for all sines
  // and cosines of its row, and touches no other row.

  // Writes PE(start + r * step) to row r of out, for r = 0 .. out.count - 1. start and step are any int64, also
  // negative or 0, such that the last position is an int64 too. Errors: kNotMade, kOutNull, kOutStride, kOutSize,
  // kRange.
  template <class T>
  Error EncodeRange(std::int64_t start, Rows<T> out, std::int64_t step = 1) const noexcept;

  // Writes PE(positions[r]) to row r of out. Runs of consecutive integers inside positions cost as little as a range.
  // Errors: kNotMade, kPositionCount, kOutNull, kOutStride, kOutSize, kPosition, kPositionOverlap.
  template <class P, class T>
  Error Encode(std::span<const P> positions, Rows<T> out) const noexcept;

  // Writes x_scale * x + PE(start + r * step), the exact sum rounded once. out may be x itself (same data and stride).
  // NaN and infinity in x propagate; every NaN written is the positive quiet NaN. An exact sum of 0 is +0, unless both
  // parts are negative zeros. Errors: those of EncodeRange, kXNull, kXCount, kXStride, kXSize, kXScale, kXOverlap.
  template <class T>
  Error EncodeAddRange(std::int64_t start, double x_scale, Rows<const T> x, Rows<T> out,
                       std::int64_t step = 1) const noexcept;

  // Writes x_scale * x + PE(positions[r]), as EncodeAddRange does.
  // Errors: those of Encode and EncodeAddRange.
  template <class P, class T>
  Error EncodeAdd(std::span<const P> positions, double x_scale, Rows<const T> x, Rows<T> out) const noexcept;

  // Writes sines and cosines to two arrays, as consumers of cos_cache and sin_cache read them: sine k of position
  // start + r * step to element k of row r of sin, cosine k to element k of row r of cos. layout and cos_first have no
  // meaning here. A row of cos has floor(dim/2) elements and so has a row of sin, or ceil(dim/2) with kDropCos; stride
  // 0 means that number. Rows of one stride may lie side by side in one table, such as [sin h | sin w | cos h | cos w].
  // Errors: kNotMade, kPlaneCount, kOutNull, kOutStride, kOutSize, kPlaneOverlap, kRange.
  template <class T>
  Error EncodePlanes(std::int64_t start, Rows<T> sin, Rows<T> cos, std::int64_t step = 1) const noexcept;

  // The same at positions[r].
  // Errors: kNotMade, kPlaneCount, kPositionCount, kOutNull, kOutStride, kOutSize, kPlaneOverlap, kPosition,
  // kPositionOverlap.
  template <class P, class T>
  Error EncodePlanes(std::span<const P> positions, Rows<T> sin, Rows<T> cos) const noexcept;

  // Rotary embedding: writes x with every pair of elements advanced by the position of its row,
  //
  //     (a, b) -> (a * c - b * s, a * s + b * c)    c, s = amplitude * cos, sin of positions[r] * position_scale * w_k
  //
  // the exact real value of each, rounded once. Pair k of a head is its elements 2k and 2k + 1 with kInterleaved, k and
  // k + dim/2 with kSplit; cos_first has no meaning here. dim is the rotary dim: where head_dim is larger, the elements
  // of a head after the first dim are copied as they are. A row of x and of out is shape.heads * shape.head_dim
  // elements, all heads of one token; stride 0 means that number. Sines and cosines are evaluated once a row, for all
  // its heads. out may be x itself (same data and stride).
  //
  // NaN and infinity in x propagate as IEEE 754 says, and so do the signs of exact zeros; every NaN written is the
  // positive quiet NaN. A NaN or infinite position gives quiet NaNs for the pairs of its row. An angle of exactly 0 is
  // no rotation: amplitude * x, so position 0 gives x back, bit for bit with amplitude 1 (NaN apart).
  // Errors: kNotMade, kEvenDim, kHeadShape, kPositionCount, kXCount, kOutNull, kOutStride, kOutSize, kPosition,
  // kPositionOverlap, kXNull, kXStride, kXSize, kXOverlap. Without heads nothing is read or written.
  template <class P, class T>
  Error Rotate(std::span<const P> positions, HeadShape shape, Rows<const T> x, Rows<T> out) const noexcept;

  // out[i] = PE(p) . PE(p + offsets[i]) = amplitude^2 * sum over k of cos(offsets[i] * position_scale * w_k), which
  // does not depend on p. Even in the offset; at offset 0 it is amplitude^2 * floor(dim/2), rounded once. Within 1 ulp
  // of the exact value at any offset, and the same bits on every CPU, also where the sum cancels: as long as its size
  // is above dim * 2^-211 for frequencies of at most 1, or dim * 2^-147 for any frequency. Errors: kNotMade,
  // kUnpairedSine, kOffsetCount, kOffsetOverlap.
  Error Similarity(std::span<const std::int64_t> offsets, std::span<double> out) const noexcept;

 private:
  std::shared_ptr<const EncoderState> state_;
};

// One axis of a grid.
struct Axis {
  const Encoder* encoder = nullptr;   // of this axis; it stays the caller's
  std::span<const double> positions;  // of the cells along this axis: any numbers that Encode takes
  std::size_t column = 0;             // the encoding, dim elements, goes to columns column .. column + dim - 1 of a row
};

// Writes the encodings of a grid, a row a cell, the first axis slowest: with axes of lengths H and W, row h * W + w
// holds the encoding of axes[0].positions[h] at axes[0].column and that of axes[1].positions[w] at axes[1].column. So
// which axis is slow and which one comes first in a row are two choices: tables of MAE have H slow, and W first in the
// row. Columns of no axis are left alone. A row is the largest column + dim; stride 0 means that number.
//
// An axis places its sines and cosines as its encoder does. Where those of one axis are not side by side, as in
// [sin h | sin w | cos h | cos w], use EncodePlanes with the positions of each cell.
//
// T: float, double, Half, BFloat16. Does not allocate; each position of an axis is evaluated once. On an error nothing
// has been written. Without axes, or with an axis of no positions, there are no rows.
// Errors: kNotMade (of an axis; also a null encoder), kGridCount, kAxisColumns, kOutNull, kOutStride, kOutSize,
// kPosition, kPositionOverlap.
template <class T>
Error EncodeGrid(std::span<const Axis> axes, Rows<T> out) noexcept;

// The SIMD target that calls run on now, as Highway names it, e.g. "AVX3".
const char* ActiveTarget() noexcept;

}  // namespace posenc

#endif  // POSENC_POSENC_H_
