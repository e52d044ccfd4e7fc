// Room spec: a Spec goes in, the first broken rule and the shape of a row come out.

#include "src/spec.h"

#include <cstddef>

#include "posenc/posenc.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxDim = std::size_t{1} << 26;

// Not std::isfinite: it must hold in code built with any flags, and -ffast-math lets a compiler drop it.
constexpr bool IsFinite(double value) noexcept { return value - value == 0.0; }

std::size_t FrequencyCount(const Spec& spec) noexcept {
  return spec.odd == OddDim::kDropCos ? (spec.dim + 1) / 2 : spec.dim / 2;
}

}  // namespace

Error Validate(const Spec& spec) noexcept {
  if (spec.layout != Layout::kInterleaved && spec.layout != Layout::kSplit) return Error::kLayout;
  if (spec.spacing != Spacing::kExclusive && spec.spacing != Spacing::kInclusive) return Error::kSpacing;
  if (spec.odd != OddDim::kError && spec.odd != OddDim::kZero && spec.odd != OddDim::kDropCos) return Error::kOdd;
  if (spec.dim == 0 || spec.dim > kMaxDim) return Error::kDim;
  if (spec.dim % 2 != 0 && spec.odd == OddDim::kError) return Error::kOddDim;
  if (spec.inv_freq.empty()) {
    if (!IsFinite(spec.base) || !(spec.base > 0.0)) return Error::kBase;
  } else {
    if (spec.inv_freq.size() != FrequencyCount(spec)) return Error::kInvFreqSize;
    for (const double w : spec.inv_freq) {
      if (!IsFinite(w)) return Error::kInvFreq;
    }
  }
  if (!IsFinite(spec.position_scale)) return Error::kPositionScale;
  if (!IsFinite(spec.amplitude)) return Error::kAmplitude;
  return Error::kNone;
}

RowShape ShapeOf(const Spec& spec) noexcept {
  RowShape shape;
  shape.sines = FrequencyCount(spec);
  shape.cosines = spec.dim / 2;
  shape.zero_last = spec.odd == OddDim::kZero && spec.dim % 2 != 0;
  if (spec.layout == Layout::kInterleaved) {
    shape.step = 2;
    shape.sin_first = spec.cos_first ? 1 : 0;
    shape.cos_first = spec.cos_first ? 0 : 1;
  } else {
    shape.sin_first = spec.cos_first ? shape.cosines : 0;
    shape.cos_first = spec.cos_first ? 0 : shape.sines;
  }
  return shape;
}

std::size_t ExponentDivisor(const Spec& spec) noexcept {
  if (FrequencyCount(spec) <= 1) return 0;
  const std::size_t twice_n = spec.odd == OddDim::kDropCos ? spec.dim : spec.dim / 2 * 2;
  return spec.spacing == Spacing::kExclusive ? twice_n : twice_n - 2;
}

const char* Message(Error error) noexcept {
  switch (error) {
    case Error::kNone:
      return "success";
    case Error::kDim:
      return "Spec::dim must be from 1 to 2^26";
    case Error::kOddDim:
      return "Spec::dim must be even, unless Spec::odd is kZero or kDropCos";
    case Error::kBase:
      return "Spec::base must be finite and greater than 0";
    case Error::kInvFreqSize:
      return "Spec::inv_freq must be empty or hold one value a frequency: floor(dim/2), or ceil(dim/2) with kDropCos";
    case Error::kInvFreq:
      return "every value of Spec::inv_freq must be finite";
    case Error::kPositionScale:
      return "Spec::position_scale must be finite";
    case Error::kAmplitude:
      return "Spec::amplitude must be finite";
    case Error::kFrequency:
      return "every frequency (from Spec::base or Spec::inv_freq) times Spec::position_scale must be at most 2^64 in "
             "absolute value";
    case Error::kLayout:
      return "Spec::layout must be kInterleaved or kSplit";
    case Error::kSpacing:
      return "Spec::spacing must be kExclusive or kInclusive";
    case Error::kOdd:
      return "Spec::odd must be kError, kZero or kDropCos";
    case Error::kMemory:
      return "Encoder::Make could not allocate the memory of the tables (about 660 bytes a frequency)";
    case Error::kNotMade:
      return "the Encoder must come from Encoder::Make and must not have been moved from";
    case Error::kOutNull:
      return "Rows::data of the output must not be null unless count is 0";
    case Error::kOutStride:
      return "Rows::stride of the output must be 0 (meaning the elements of a row) or at least the elements of a row: "
             "dim, unless the call says otherwise";
    case Error::kOutSize:
      return "count * stride * sizeof(element) of the output must be below 2^63";
    case Error::kRange:
      return "start + (count - 1) * step must be an int64";
    case Error::kPositionCount:
      return "positions must hold one position for each row of the output";
    case Error::kPosition:
      return "every position must be NaN, infinite, or at most 2^63 in absolute value";
    case Error::kXNull:
      return "Rows::data of x must not be null unless count is 0";
    case Error::kXCount:
      return "x must have as many rows as the output";
    case Error::kXStride:
      return "Rows::stride of x must be 0 (meaning dim) or at least dim";
    case Error::kXSize:
      return "count * stride * sizeof(element) of x must be below 2^63";
    case Error::kXScale:
      return "x_scale must be finite";
    case Error::kXOverlap:
      return "the output must be x itself (same data and stride) or share no memory with x";
    case Error::kPositionOverlap:
      return "positions must share no memory with the output";
    case Error::kPlaneCount:
      return "the sines and the cosines of EncodePlanes must have as many rows";
    case Error::kPlaneOverlap:
      return "the sines and the cosines of EncodePlanes must share no element";
    case Error::kGridCount:
      return "the output of EncodeGrid must have one row a cell: the product of the lengths of the axes";
    case Error::kAxisColumns:
      return "each axis of a grid must have the columns column .. column + dim - 1 for itself, all below 2^63";
    case Error::kUnpairedSine:
      return "for Similarity dim must be even, unless Spec::odd is kZero";
    case Error::kOffsetCount:
      return "the output of Similarity must hold one value an offset";
    case Error::kOffsetOverlap:
      return "the offsets of Similarity must share no memory with its output";
    case Error::kPointer:
      return "a pointer must not be NULL unless c_api.h says so";
    case Error::kSpecSize:
      return "posenc_spec::size must be as posenc_default_spec sets it, in a header that is not newer than the library";
    case Error::kElementType:
      return "posenc_dtype must be POSENC_F32, POSENC_F64, POSENC_F16 or POSENC_BF16";
    case Error::kPositionType:
      return "posenc_position_type must be POSENC_POS_I32, POSENC_POS_I64, POSENC_POS_F32 or POSENC_POS_F64";
    case Error::kEvenDim:
      return "for Rotate dim must be even";
    case Error::kHeadShape:
      return "HeadShape::head_dim must be 0 (meaning dim) or at least dim, and heads * head_dim * sizeof(element) must "
             "be below 2^63";
  }
  return "not a value of posenc::Error";
}

}  // namespace posenc
