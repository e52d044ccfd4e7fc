// Bench, check: a Case and the table that was written for it go in, its largest error comes out.

#include "bench/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace posenc_bench {
namespace {

// Columns of planes count through the row of sines first. Spec::layout has no meaning for them.
Wave PlaneWaveAt(const Case& c, std::size_t column) {
  const std::size_t half = c.spec.dim / 2;
  return {column % half, column >= half};
}

// The exact values of a case, one element at a time.
class ExactTable {
 public:
  ExactTable(const Case& c, const Inputs& inputs)
      : c_(c),
        inputs_(inputs),
        waves_(c.op == Op::kEncodeGrid ? AxisSpec(c.spec) : c.spec),
        x_(c.ReadsX() ? kXPeriodBytes : 0) {
    if (c.ReadsX()) FillX(c.format, x_.data(), x_.size());
  }

  void Element(std::size_t row, std::size_t column, Number& value) {
    switch (c_.op) {
      case Op::kEncodeRange:
      case Op::kEncode:
        SetPosition(row);
        waves_.At(position_, WaveAt(c_.spec, column), value);
        return;
      case Op::kEncodePlanes:
        SetPosition(row);
        waves_.At(position_, PlaneWaveAt(c_, column), value);
        return;
      case Op::kEncodeAddRange:
        SetPosition(row);
        waves_.At(position_, WaveAt(c_.spec, column), value);
        x_part_.Set(c_.XScale());
        mpfr_mul_d(x_part_.value(), x_part_.value(), X(row, column), MPFR_RNDN);
        mpfr_add(value.value(), value.value(), x_part_.value(), MPFR_RNDN);
        return;
      case Op::kRotate:
        RotatedElement(row, column, value);
        return;
      case Op::kSimilarity:
        SumOfCosines(row, value);
        return;
      case Op::kEncodeGrid: {
        const std::size_t axis_dim = c_.spec.dim / 2;
        const std::size_t fast = FastAxisLength(c_.rows);
        position_.Set(static_cast<std::int64_t>(column < axis_dim ? row / fast : row % fast));
        waves_.At(position_, WaveAt(AxisSpec(c_.spec), column % axis_dim), value);
        return;
      }
    }
  }

 private:
  void SetPosition(std::size_t row) {
    if (!inputs_.integers.empty()) {
      position_.Set(inputs_.integers[row]);
    } else if (inputs_.IsList()) {
      position_.Set(inputs_.reals[row]);
    } else {
      position_.Set(inputs_.Start(0) + static_cast<std::int64_t>(row));
    }
  }

  double X(std::size_t row, std::size_t column) const {
    const std::size_t byte = (row * c_.Stride() + column) * c_.format.Bytes();
    return Value(x_.data() + byte % kXPeriodBytes, c_.format);
  }

  // (a, b) -> (a cos - b sin, a sin + b cos).
  void RotatedElement(std::size_t row, std::size_t column, Number& value) {
    const std::size_t dim = c_.spec.dim;
    const std::size_t head = column / dim * dim;
    const Wave wave = WaveAt(c_.spec, column % dim);
    const bool split = c_.spec.layout == posenc::Layout::kSplit;
    const std::size_t first = head + (split ? wave.k : 2 * wave.k);
    const double a = X(row, first);
    const double b = X(row, first + (split ? dim / 2 : 1));
    SetPosition(row);
    waves_.At(position_, wave.k, sin_, cos_);
    mpfr_mul_d(value.value(), cos_.value(), wave.cosine ? b : a, MPFR_RNDN);
    mpfr_mul_d(x_part_.value(), sin_.value(), wave.cosine ? a : -b, MPFR_RNDN);
    mpfr_add(value.value(), value.value(), x_part_.value(), MPFR_RNDN);
  }

  void SumOfCosines(std::size_t row, Number& value) {
    SetPosition(row);
    value.Set(0.0);
    for (std::size_t k = 0; k < c_.spec.dim / 2; ++k) {
      waves_.At(position_, {k, true}, cos_);
      mpfr_add(value.value(), value.value(), cos_.value(), MPFR_RNDN);
    }
  }

  const Case& c_;
  const Inputs& inputs_;
  ExactWaves waves_;
  std::vector<unsigned char> x_;
  Number position_, sin_, cos_, x_part_;
};

// Where an element is, in elements from the first.
std::size_t Place(const Case& c, std::size_t row, std::size_t column) {
  if (c.op != Op::kEncodePlanes) return row * c.Stride() + column;
  const Wave wave = PlaneWaveAt(c, column);
  const std::size_t plane_row = wave.cosine ? c.rows + row : row;
  return plane_row * (c.spec.dim / 2) + wave.k;
}

}  // namespace

posenc::Spec AxisSpec(const posenc::Spec& row) {
  posenc::Spec axis = row;
  axis.dim = row.dim / 2;
  return axis;
}

std::size_t FastAxisLength(std::size_t cells) {
  auto length = static_cast<std::size_t>(std::sqrt(static_cast<double>(cells)));
  while (cells % length != 0) --length;
  return length;
}

Deviation LargestDeviation(const Case& c, const Inputs& inputs, const void* out) {
  // An element of Similarity is a sum of dim / 2 cosines.
  const std::size_t samples = c.op == Op::kSimilarity ? 16 : 4096;
  const auto* bytes = static_cast<const unsigned char*>(out);
  ExactTable table(c, inputs);
  std::mt19937_64 random(1);
  Number exact;
  Deviation largest;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t row = random() % c.rows;
    const std::size_t column = random() % c.Columns();
    table.Element(row, column, exact);
    const double got = Value(bytes + Place(c, row, column) * c.format.Bytes(), c.format);
    largest = Largest(largest, Compare(got, exact, c.format));
  }
  return largest;
}

double LoopErrorBound(const Case& c, const Inputs& inputs, bool double_angles) {
  double largest = 0.0;
  for (const double position : inputs.reals) largest = std::max(largest, std::abs(position));
  for (const std::int64_t start : inputs.starts) {
    largest = std::max(largest, std::abs(static_cast<double>(start)) + static_cast<double>(c.rows));
  }
  // The frequency and the product are rounded once each; seen with float angles: largest * 2^-24.
  const double relative = double_angles ? 0x1p-51 : 0x1p-22;
  const double bound = 0x1p-22 + largest * relative;
  return bound < 2.0 ? bound : std::numeric_limits<double>::infinity();
}

double PromisedUlps(const Case& c) { return c.op == Op::kSimilarity ? 1.0 : Deviation::kNearestUlps; }

}  // namespace posenc_bench
