// Bench, baselines: memory goes in, what its speed is compared with comes out: writing it, copying it, scaling it, and
// the libm loop that posenc is called in place of.

#ifndef POSENC_BENCH_BASELINES_H_
#define POSENC_BENCH_BASELINES_H_

#include <cstddef>

#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/memory.h"
#include "bench/peers.h"
#include "posenc/posenc.h"

namespace posenc_bench {

struct Baseline {
  const char* counter;  // the ratio by its name among the counters
  Repeat run;
  double share = 1.0;       // of the work of the subject that one pass is
  bool own_memory = false;  // leaves the memory of the subject alone
};

inline constexpr char kFillRatio[] = "fill_ratio";
inline constexpr char kCopyRatio[] = "memcpy_ratio";
inline constexpr char kScaleRatio[] = "scale_ratio";
inline constexpr char kLibmRatio[] = "libm_ratio";

// memset of `bytes` to a value that is not zero: some kernels and CPUs have a faster way to write zeros.
Baseline Fill(void* data, std::size_t bytes);

// memcpy.
Baseline Copy(const void* from, void* to, std::size_t bytes);

// Multiplies `elements` floats, or doubles, in place by one factor, with the vectors of the target that Highway is set
// to. Types of 16 bits are scaled as floats of the same bytes: it is the way of the memory that is compared.
Baseline Scale(void* data, std::size_t bytes, std::size_t element_bytes);

// Slices of a table of floats by the C library, at the positions of all its rows. `inputs` outlives the baseline.
Baseline Libm(const posenc::Spec& spec, std::size_t rows, const Inputs& inputs, Loop loop = LibmHoisted);

}  // namespace posenc_bench

#endif  // POSENC_BENCH_BASELINES_H_
