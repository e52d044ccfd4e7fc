// Bench, case lists: what posenc_bench measures, in the order and the sections in which it is shown.

#include "bench/case_lists.h"

#include <string>
#include <utility>

namespace posenc_bench {
namespace {

using posenc::Layout;

constexpr std::size_t kKiB = std::size_t{1} << 10;
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;

// In the first level-2 cache of most CPUs, about its size, in the last level, in memory.
constexpr std::size_t kSizes[] = {256 * kKiB, kMiB, 8 * kMiB, 256 * kMiB};
// What fits into a cache, and what does not.
constexpr std::size_t kCacheAndMemory[] = {8 * kMiB, 256 * kMiB};

constexpr Positions kLists[] = {Positions::kRandom4096, Positions::kRandom2p17, Positions::kRandom2p60,
                                Positions::kFractional, Positions::kPacked};

Case Range(std::size_t dim, std::size_t bytes, const Format& format = kF32) {
  return CaseOfSize(Op::kEncodeRange, format, dim, bytes);
}

Case Flat(Case c) {
  c.flat = true;
  return c;
}

// A few rows a call, at random positions: what a decoder asks for, token by token.
Case FewRows(std::size_t dim, std::size_t rows) {
  Case c = Range(dim, dim * rows * sizeof(float));
  c.size = std::to_string(rows) + (rows == 1 ? "row" : "rows");
  c.positions = Positions::kRandomStarts;
  return c;
}

Case FromStart(const char* variant, std::int64_t start) {
  Case c = WithVariant(Range(512, 8 * kMiB), variant);
  c.start = start;
  return c;
}

Case WithFrequencies(std::size_t bytes, const char* variant, double frequency) {
  Case c = WithVariant(Range(512, bytes), variant);
  c.spec.inv_freq.assign(256, frequency);
  return c;
}

// What malloc and std::vector give: a multiple of 16.
Case Align16(Case c) {
  c.misalignment = 16;
  return WithVariant(std::move(c), "align16");
}

Case WithPadding(Case c, std::size_t elements) {
  c.padding = elements;
  const std::string variant = "stride" + std::to_string(c.Stride());
  return WithVariant(std::move(c), variant);
}

Case Fresh(Case c) {
  c.pages = PageState::kFresh;
  return WithVariant(std::move(c), "fresh");
}

Case InPlace(Case c) {
  c.in_place = true;
  return WithVariant(std::move(c), "in_place");
}

Section RangesOfFloats() {
  Section section = {.label = "ranges of positions, float"};
  std::vector<Case>& cases = section.posenc;
  for (const std::size_t bytes : kSizes) {
    Case c = InTable(Range(512, bytes));
    c.flat = bytes >= kMiB;
    c.in_table_for_all_targets = bytes == 256 * kMiB;
    cases.push_back(c);
  }
  cases.push_back(Flat(Range(512, 4 * kGiB)));
  // The dims that models use.
  for (const std::size_t dim : {64u, 128u, 768u, 4096u, 16384u}) {
    for (const std::size_t bytes : kSizes) {
      const bool shown =
          bytes == 8 * kMiB ? dim != 128 && dim != 768 : bytes == 256 * kMiB && dim != 128 && dim < 16384;
      Case c = InTable(Range(dim, bytes), shown);
      c.flat = bytes >= kMiB;
      cases.push_back(c);
    }
  }
  cases.push_back(FromStart("start1e6", 1000000));
  cases.push_back(InTable(Flat(FromStart("start2p60", std::int64_t{1} << 60))));
  // Does not fill whole vectors, or does so but not whole cache lines.
  for (const std::size_t dim : {80u, 96u, 130u, 770u}) {
    for (const std::size_t bytes : kCacheAndMemory) cases.push_back(InTable(Range(dim, bytes), bytes == 8 * kMiB));
  }
  for (const std::size_t bytes : kCacheAndMemory) cases.push_back(InTable(Align16(Range(512, bytes))));
  for (const std::size_t bytes : kCacheAndMemory) {
    cases.push_back(InTable(WithPadding(Range(512, bytes), 16), bytes == 8 * kMiB));
  }
  for (const std::size_t bytes : kCacheAndMemory) {
    Case c = InTable(WithLayout(Range(512, bytes), Layout::kSplit));
    c.in_table_for_all_targets = bytes == 256 * kMiB;
    cases.push_back(c);
  }
  for (const std::size_t bytes : kCacheAndMemory) cases.push_back(InTable(Fresh(Range(512, bytes)), bytes > 8 * kMiB));

  for (const std::size_t bytes : {256 * kKiB, 8 * kMiB, 256 * kMiB}) {
    section.peers.push_back(InTable(Range(512, bytes), bytes == 8 * kMiB));
  }
  for (const std::size_t dim : {128u, 770u, 4096u}) section.peers.push_back(Range(dim, 8 * kMiB));
  return section;
}

// Specs with many tiny sines: those whose rounding is hard to decide.
Section WorstSpecs() {
  Case slow_base = WithVariant(Range(512, 512 * kKiB), "base1e12");
  slow_base.spec.base = 1e12;
  // The slowest that is known is the last one: every sine is subnormal, and goes to repair.
  return {.label = "specs that are slow",
          .posenc = {InTable(slow_base), InTable(WithFrequencies(8 * kMiB, "inv_freq1e-20", 1e-20)),
                     InTable(WithFrequencies(512 * kKiB, "inv_freq1e-42", 1e-42))}};
}

Section RangesOfOtherTypes() {
  Section section = {.label = "ranges of positions, other types"};
  for (const Format& format : {kF64, kBF16, kF16}) {
    for (const std::size_t bytes : kCacheAndMemory) {
      section.posenc.push_back(InTable(Range(512, bytes, format)));
      for (const std::size_t dim : {64u, 768u, 770u, 4096u}) section.posenc.push_back(Range(dim, bytes, format));
      section.posenc.push_back(InTable(WithLayout(Range(512, bytes, format), Layout::kSplit), bytes == 256 * kMiB));
      section.posenc.push_back(Align16(Range(512, bytes, format)));
    }
  }
  return section;
}

Section Lists() {
  Section section = {.label = "lists of positions"};
  for (const Positions positions : kLists) {
    const Case c = InTable(WithPositions(CaseOfSize(Op::kEncode, kF32, 512, 8 * kMiB), positions));
    section.posenc.push_back(c);
    // Packed sequences are nothing special to a loop over rows.
    section.peers.push_back(InTable(c, positions != Positions::kRandom4096 && positions != Positions::kPacked));
  }
  for (const Format& format : {kF64, kBF16, kF16}) {
    for (const Positions positions : kLists) {
      section.posenc.push_back(WithPositions(CaseOfSize(Op::kEncode, format, 512, 8 * kMiB), positions));
    }
  }
  for (const std::size_t dim : {64u, 128u, 770u, 4096u}) {
    section.posenc.push_back(WithPositions(CaseOfSize(Op::kEncode, kF32, dim, 8 * kMiB), Positions::kRandom2p17));
  }
  section.posenc.push_back(WithPositions(CaseOfSize(Op::kEncode, kF32, 512, 256 * kMiB), Positions::kRandom2p17));
  return section;
}

Section Additions() {
  Section section = {.label = "added to embeddings"};
  for (const Format& format : {kF32, kF64, kBF16, kF16}) {
    const bool in_table = format.bits == kF32.bits;
    for (const std::size_t bytes : kCacheAndMemory) {
      const Case c = InTable(CaseOfSize(Op::kEncodeAddRange, format, 512, bytes), in_table);
      section.posenc.push_back(c);
      section.posenc.push_back(InPlace(c));
    }
  }
  return section;
}

// 4096 tokens of 32 heads of 128, as language models have them.
Case Rotation(const Format& format, Layout layout) {
  Case c = WithLayout(CaseOfSize(Op::kRotate, format, 128, 0), layout);
  c.heads = 32;
  c.rows = 4096;
  c.size = SizeName(c.Bytes());
  return WithVariant(std::move(c), "heads32");
}

Section OtherCalls() {
  Section section = {.label = "planes, rotations, grids, similarity"};
  std::vector<Case>& cases = section.posenc;
  for (const std::size_t bytes : kCacheAndMemory) {
    cases.push_back(InTable(CaseOfSize(Op::kEncodePlanes, kF32, 512, bytes)));
  }
  for (const Format& format : {kF32, kF64, kBF16, kF16}) {
    const bool in_table = format.bits == kF32.bits;
    cases.push_back(InTable(Rotation(format, Layout::kSplit), in_table));
    cases.push_back(InTable(InPlace(Rotation(format, Layout::kSplit)), in_table));
    cases.push_back(Rotation(format, Layout::kInterleaved));
    cases.push_back(InPlace(Rotation(format, Layout::kInterleaved)));
  }
  cases.push_back(InTable(WithVariant(CaseOfSize(Op::kEncodeGrid, kF32, 512, 8 * kMiB), "64x64")));
  Case similarity = CaseOfSize(Op::kSimilarity, kF64, 512, 0);
  similarity.rows = 4096;
  similarity.size = "4096offsets";
  cases.push_back(InTable(WithPositions(similarity, Positions::kRandom2p17)));
  return section;
}

// What a call costs by itself: a row of one pair, and rows that a decoder asks for.
Section FewRowsOfFloats() {
  return {.label = "few rows a call, at random positions",
          .posenc = {InTable(FewRows(2, 1)), InTable(FewRows(512, 1)), InTable(FewRows(512, 16)), FewRows(64, 1),
                     FewRows(4096, 1)},
          .peers = {FewRows(512, 1)}};
}

}  // namespace

std::vector<Section> Sections() {
  return {RangesOfFloats(), RangesOfOtherTypes(), Lists(), Additions(), OtherCalls(), FewRowsOfFloats(), WorstSpecs()};
}

std::vector<Case> FillCases() {
  std::vector<Case> cases;
  for (const std::size_t bytes : kSizes) cases.push_back(InTable(Range(512, bytes)));
  return cases;
}

}  // namespace posenc_bench
