// Test room probes: positions or angles go in, the values of the kernels before the last rounding come out, of the
// target that the library runs on.

#ifndef POSENC_TESTS_KERNEL_PROBES_H_
#define POSENC_TESTS_KERNEL_PROBES_H_

#include <cstddef>
#include <cstdint>

#include "src/grid.h"
#include "src/kernels.h"

namespace posenc::test {

// The values of one frequency in one row, in the order of the layout. The low parts are 0 without pairs.
struct WavePair {
  double first, first_low;
  double second, second_low;
};

// An angle of (quarters + (eighths + eighths_low) / 2) quarter turns.
struct ReducedAngle {
  double eighths, eighths_low;
  std::uint64_t quarters;
};

// Rows super .. super + kSuperRows - 1 of a group, rotated as the range kernel does: row j stands for position
// j * step + offset. to[row * kGroup + k].
void ProbeRecurrence(bool pairs, const FrequencyGrid& grid, std::uint64_t step, std::uint64_t offset,
                     std::int64_t super, std::size_t group, WavePair* to);

// A row of a group, evaluated as the list kernel does; without the amplitude and with the sine first. to[k].
void ProbeList(bool pairs, const FrequencyGrid& grid, const ListPosition& position, std::size_t group, WavePair* to);

// The rows of a span of sorted positions, from its first position on: kSpanPositions of them, in the order of the
// layout and with the amplitude. to[row * kGroup + k].
void ProbeSorted(const FrequencyGrid& grid, std::int64_t span, std::size_t group, WavePair* to);

// A row of a group where the angles are small, which the caller sees to; with the amplitude, in the order of the
// layout.
void ProbeSmallRow(bool pairs, const FrequencyGrid& grid, const ListPosition& position, std::size_t group,
                   WavePair* to);

// Sine and cosine of kGroup angles, and of kGroup small ones in radians.
void ProbeSinCos(bool pairs, const ReducedAngle* angles, WavePair* to);
void ProbeSmallSinCos(bool pairs, const double* radians, const double* radians_low, WavePair* to);

// The target of the probes.
const char* ProbeTarget();

}  // namespace posenc::test

#endif  // POSENC_TESTS_KERNEL_PROBES_H_
