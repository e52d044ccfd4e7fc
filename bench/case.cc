// Bench, case: properties of a benchmark go in, its name comes out.

#include "bench/case.h"

#include <utility>

namespace posenc_bench {
namespace {

const char* OpName(Op op) {
  switch (op) {
    case Op::kEncodeRange:
      return "EncodeRange";
    case Op::kEncode:
      return "Encode";
    case Op::kEncodeAddRange:
      return "EncodeAddRange";
    case Op::kEncodePlanes:
      return "EncodePlanes";
    case Op::kRotate:
      return "Rotate";
    case Op::kSimilarity:
      return "Similarity";
    case Op::kEncodeGrid:
      return "EncodeGrid";
  }
  return "";
}

const char* LayoutName(const Case& c) {
  if (c.op == Op::kEncodePlanes) return "planes";
  return c.spec.layout == posenc::Layout::kInterleaved ? "interleaved" : "split";
}

const char* PositionsName(Positions positions) {
  switch (positions) {
    case Positions::kConsecutive:
      return "consecutive";
    case Positions::kRandomStarts:
      return "random_starts";
    case Positions::kRandom4096:
      return "random4096";
    case Positions::kRandom2p17:
      return "random2p17";
    case Positions::kRandom2p60:
      return "random2p60";
    case Positions::kFractional:
      return "fractional";
    case Positions::kPacked:
      return "packed";
  }
  return "";
}

}  // namespace

std::string SizeName(std::size_t bytes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  constexpr std::size_t kGiB = std::size_t{1} << 30;
  if (bytes >= kGiB) return std::to_string(bytes / kGiB) + "GiB";
  return bytes >= kMiB ? std::to_string(bytes / kMiB) + "MiB" : std::to_string(bytes >> 10) + "KiB";
}

std::string WorkName(const Case& c) {
  std::string name = std::string(c.format.name) + "/" + LayoutName(c);
  name += "/d" + std::to_string(c.spec.dim) + "/" + c.size;
  if (!c.variant.empty()) name += "/" + c.variant;
  return name;
}

std::string Name(const Case& c) { return std::string(OpName(c.op)) + "/" + WorkName(c); }

Case CaseOfSize(Op op, const Format& format, std::size_t dim, std::size_t bytes) {
  Case c;
  c.op = op;
  c.format = format;
  c.spec.dim = dim;
  c.rows = bytes / (dim * format.Bytes());
  c.size = SizeName(bytes);
  return c;
}

Case WithLayout(Case c, posenc::Layout layout) {
  c.spec.layout = layout;
  return c;
}

Case WithPositions(Case c, Positions positions) {
  c.positions = positions;
  return WithVariant(std::move(c), PositionsName(positions));
}

Case WithVariant(Case c, const std::string& variant) {
  c.variant = c.variant.empty() ? variant : c.variant + "/" + variant;
  return c;
}

Case InTable(Case c, bool in_table) {
  c.in_table = in_table;
  return c;
}

}  // namespace posenc_bench
