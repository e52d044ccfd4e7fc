// Bench, check: a Case and the table that was written for it go in, its largest error comes out. No figure without its
// error: a fast loop that writes something else is not a peer, and not posenc.

#ifndef POSENC_BENCH_CHECK_H_
#define POSENC_BENCH_CHECK_H_

#include <cstddef>

#include "bench/case.h"
#include "bench/inputs.h"
#include "bench/reference.h"

namespace posenc_bench {

// A spec with an even dim of which half may be asked for: that of each axis of a grid.
posenc::Spec AxisSpec(const posenc::Spec& row);

// Cells of a grid stand in as many rows as columns, as far as that goes: the length of the second, fast axis.
std::size_t FastAxisLength(std::size_t cells);

// The largest error of a sample of the elements of pass 0, against exact values. The positions are those of `inputs`,
// and what the case reads is FillX.
Deviation LargestDeviation(const Case& c, const Inputs& inputs, const void* out);

// The largest absolute error of a loop with angles in float or in double: those angles are wrong by design, and by how
// much depends on the positions. Infinity where nothing is left of the angle. Several times of what is seen, so that
// another library or CPU stays below it.
double LoopErrorBound(const Case& c, const Inputs& inputs, bool double_angles);

// The largest deviation that posenc promises.
double PromisedUlps(const Case& c);

}  // namespace posenc_bench

#endif  // POSENC_BENCH_CHECK_H_
