// Room grid: a valid Spec goes in, the constants that the kernels read come out, padded to whole groups of frequencies.

#ifndef POSENC_SRC_GRID_H_
#define POSENC_SRC_GRID_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/spec.h"
#include "src/turns.h"

namespace posenc {

// Kernels walk the frequencies in groups of this many: 32 doubles fill whole vectors up to SVE's 2048 bits, and the
// rotations of a group (8 KiB) stay in L1 while 256 rows are written.
inline constexpr std::size_t kGroup = 32;

// Rows come in blocks of 16 around an anchor, blocks in super-blocks of 256 around a super-anchor.
inline constexpr int kBlockRows = 16;
inline constexpr int kSuperRows = 256;

// The rotations of a group: by 1/2, 3/2, .. 15/2 positions (from an anchor to the rows on both sides of it), then by 8,
// 24, .. 120 (from a super-anchor to its anchors). Each entry is kGroup cosines, then kGroup sines.
inline constexpr int kRowRotations = kBlockRows / 2;
inline constexpr int kAnchorRotations = kSuperRows / kBlockRows / 2;
inline constexpr int kRotations = kRowRotations + kAnchorRotations;
inline constexpr std::size_t kRotationDoubles = kRotations * 2 * kGroup;  // of a group

// The half positions that rotation e advances by.
constexpr std::uint64_t RotationHalves(int e) noexcept {
  return e < kRowRotations ? 2 * static_cast<std::uint64_t>(e) + 1
                           : (2 * static_cast<std::uint64_t>(e - kRowRotations) + 1) * kBlockRows;
}

// A position in turns of each frequency: its fraction of a turn as a 192-bit two's complement number, limb by limb, the
// lowest limb first. p * fraction mod 2^192 is the angle of position p, within p * 2^-192 turns.
struct Fractions {
  std::uint64_t* limb[3] = {};
};

// Arrays are padded to whole groups with copies of the last group's first frequency.
struct FrequencyGrid {
  RowShape shape;
  bool cos_first = false;
  double amplitude = 1.0;
  bool is_scaled = false;  // by an amplitude other than 1
  double eps_scale = 1.0;  // the least power of two that is not below |amplitude|: what errors of amplitude 1 grow by
  // amplitude is outside 2^-60 .. 2^60 and not 0: results may leave the normal range of a type.
  bool is_extreme = false;
  std::size_t groups = 0;

  Turns* turns = nullptr;           // one a frequency, not padded
  Fractions half;                   // of half a position
  Fractions whole;                  // of one position
  Fractions part;                   // of 2^-64 positions
  double* radians = nullptr;        // w_k * position_scale, to nearest
  double* radians_low = nullptr;    // what radians leaves out of it: together within 2^-104, relative
  double* eighths = nullptr;        // w_k * position_scale in eighths of a turn, to nearest
  double* eighths_low = nullptr;    // what eighths leaves out, as radians_low
  double* most_radians = nullptr;   // for each group: at least the largest |w_k * position_scale|
  double* least_radians = nullptr;  // and at most the smallest
  double* rotation = nullptr;       // for each group kRotationDoubles, to nearest; filled by the kernels
  double* rotation_low = nullptr;   // what rotation leaves out

  std::unique_ptr<std::byte[]> memory;  // what the pointers above point into
};

// Allocates and fills all of grid but the rotations. Errors: kFrequency, kMemory.
Error FillGrid(const Spec& spec, FrequencyGrid& grid) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_GRID_H_
