// Bench, case lists: what posenc_bench measures, in the order and the sections in which it is shown.

#ifndef POSENC_BENCH_CASE_LISTS_H_
#define POSENC_BENCH_CASE_LISTS_H_

#include <cstddef>
#include <vector>

#include "bench/case.h"

namespace posenc_bench {

// Work that belongs together: cases of posenc, and under them those of its peers. The short table shows those
// that are in_table, and of the peers the best ones.
struct Section {
  const char* label;
  std::vector<Case> posenc = {};
  std::vector<Case> peers = {};
};

std::vector<Section> Sections();

// The memory by itself: from the first caches to beyond the last one.
std::vector<Case> FillCases();

// Dims of Encoder::Make.
struct MakeCase {
  std::size_t dim;
  bool in_table;
};
inline constexpr MakeCase kMakeCases[] = {{512, true}, {8192, true}, {16384, false}};

}  // namespace posenc_bench

#endif  // POSENC_BENCH_CASE_LISTS_H_
