// Test room fixed waves: frequencies and a block of positions go in, all correctly rounded rows of the block come out,
// at a hundredth of the cost of MPFR and with the same certainty.
//
// Sines and cosines are 128-bit fixed point numbers. A row is one rotation of an anchor by a table entry, both of them
// from MPFR:
//
//     sin(a + r) = sin a cos r + cos a sin r        cos(a + r) = cos a cos r - sin a sin r
//
// in integers, with an error below kFixedError. A value whose distance from the nearest midpoint is not above that
// error is left to MPFR. Nothing here rounds in floating point, and nothing comes from the library.

#ifndef POSENC_TESTS_FIXED_WAVES_H_
#define POSENC_TESTS_FIXED_WAVES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "posenc/posenc.h"
#include "tests/reference.h"
#include "tests/rounding.h"

namespace posenc::test {

__extension__ typedef __int128 Fixed;  // a real number times 2^126: [-2, 2)
__extension__ typedef unsigned __int128 UnsignedFixed;

inline constexpr int kFixedBits = 126;

// Error of a rotated value in units of 2^-126. The four factors are within 1/2 of exact and of magnitude at most 1,
// which makes 2 in all, and each of the two products drops at most 5: together 12; 16 leaves room.
inline constexpr int kFixedError = 16;

struct FixedWave {
  Fixed sin;
  Fixed cos;
};

// Rows of a Spec with amplitude 1 whose rows are interleaved pairs, sines first.
class FixedWaves {
 public:
  // Blocks of `rows` positions. The table of rotations is filled here. The reference must outlive this.
  FixedWaves(Reference& reference, std::size_t rows);

  std::size_t rows() const { return rows_; }
  std::size_t frequencies() const { return reference_.frequencies(); }

  // Sets the anchor: row r of the block is position start + r.
  void SetStart(std::int64_t start);

  // Within kFixedError units of exact.
  FixedWave Wave(std::size_t r, std::size_t k) const;

  // The block, correctly rounded to every type: rows() rows of 2 * frequencies() elements each. MPFR decides every
  // element within Window<T>() units of a midpoint of two neighbours, and those that are too small for this many bits.
  // Adds their numbers to decided, in the order of the arguments.
  template <class... T>
  void Round(std::size_t (&decided)[sizeof...(T)], T*... out);

  // 2^-49 where a double decides the rounding in the library, and as much beyond the last place for double.
  template <class T>
  static constexpr UnsignedFixed Window() {
    return UnsignedFixed{1} << (kFixedBits - (sizeof(T) == 8 ? 78 : 49));
  }

 private:
  template <class T>
  std::size_t RoundPair(const FixedWave& wave, std::size_t r, std::size_t k, T* pair);

  Reference& reference_;
  std::size_t rows_;
  std::int64_t start_ = 0;
  std::vector<FixedWave> rotations_;  // of row r and frequency k, at r * frequencies() + k
  std::vector<FixedWave> anchors_;
  Real sin_;
  Real cos_;
};

}  // namespace posenc::test

#endif  // POSENC_TESTS_FIXED_WAVES_H_
