// Bench, case: what one benchmark measures, as data; and its name.

#ifndef POSENC_BENCH_CASE_H_
#define POSENC_BENCH_CASE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/elements.h"
#include "bench/memory.h"
#include "posenc/posenc.h"

namespace posenc_bench {

enum class Op { kEncodeRange, kEncode, kEncodeAddRange, kEncodePlanes, kRotate, kSimilarity, kEncodeGrid };

// Which positions the rows have. Lists are the same for posenc, its peers and the libm loop.
enum class Positions {
  kConsecutive,   // start, start + 1, ...
  kRandomStarts,  // as before, from another random start below 2^17 in every pass: the token-by-token calls of a
                  // decoder
  kRandom4096,    // random int64 below 4096
  kRandom2p17,    // below 2^17: what contexts are long today
  kRandom2p60,    // below 2^60
  kFractional,    // random doubles below 4096
  kPacked         // sequences of 1 to 512 tokens, each from 0 on, one after the other
};

// Whether positions are not floats, so that loops with float angles compute something else.
inline bool NeedDoubleAngles(Positions positions) {
  return positions == Positions::kRandom2p60 || positions == Positions::kFractional;
}

// One benchmark of an operation on warm or fresh memory. Every field is one property that changes the cost.
struct Case {
  Op op = Op::kEncodeRange;
  Format format = kF32;
  posenc::Spec spec;  // of a row of EncodeGrid: each of its two axes has half the dim
  std::size_t rows = 0;
  Positions positions = Positions::kConsecutive;
  std::int64_t start = 0;
  std::size_t heads = 1;         // Rotate
  std::size_t padding = 0;       // elements between rows
  std::size_t misalignment = 0;  // bytes of the first row past a multiple of 2 MiB
  bool in_place = false;         // EncodeAddRange
  PageState pages = PageState::kWarm;
  std::string size;       // of the output: 8MiB, 1row
  std::string variant;    // what else is different, such as "start2p60"; may be empty
  bool flat = false;      // on one target, the time of an element should be that of all others that are flat
  bool in_table = false;  // the short table shows it for the target that calls run on by themselves
  bool in_table_for_all_targets = false;

  // Elements of a row of the output; Similarity writes one value an offset.
  std::size_t Columns() const { return op == Op::kSimilarity ? 1 : spec.dim * heads; }
  std::size_t Stride() const { return Columns() + padding; }
  std::size_t Elements() const { return rows * Columns(); }
  std::size_t Bytes() const { return Elements() * format.Bytes(); }
  // What the rows span in memory.
  std::size_t SpannedBytes() const { return misalignment + rows * Stride() * format.Bytes(); }
  // In place x is what the pass before left. With -1 it stays as large as it is: x, PE - x, x, ...
  double XScale() const { return in_place ? -1.0 : 1.0; }
  bool ReadsX() const { return op == Op::kEncodeAddRange || op == Op::kRotate; }
};

// Op/type/layout/d<dim>/<size>[/variant].
std::string Name(const Case& c);
// The part of the name after the operation; peers put their own names before it.
std::string WorkName(const Case& c);
std::string SizeName(std::size_t bytes);

// Rows that come to `bytes`.
Case CaseOfSize(Op op, const Format& format, std::size_t dim, std::size_t bytes);
Case WithLayout(Case c, posenc::Layout layout);
// The word of the positions becomes the variant.
Case WithPositions(Case c, Positions positions);
Case WithVariant(Case c, const std::string& variant);
Case InTable(Case c, bool in_table = true);

}  // namespace posenc_bench

#endif  // POSENC_BENCH_CASE_H_
