// Room turns: a Spec goes in, its frequencies in turns come out, as wide integers that no rounding of a double has
// touched. Scalar; for set-up and for the last resort only.
//
// An angle of p * w_k radians is p * t_k turns with t_k = w_k * position_scale / (2 pi). In turns, reducing an angle is
// dropping an integer, which is exact.

#ifndef POSENC_SRC_TURNS_H_
#define POSENC_SRC_TURNS_H_

#include <cstddef>
#include <cstdint>

#include "posenc/posenc.h"

namespace posenc {

// A real number: (-1)^negative * M / 2^(64 * kLimbs) * 2^exponent, M the integer of the limbs, limb[0] the lowest. The
// top bit of limb[kLimbs - 1] is set, so the magnitude is in [2^(exponent-1), 2^exponent), or all limbs are 0 for zero.
template <int kLimbs>
struct Wide {
  std::uint64_t limb[kLimbs] = {};
  std::int32_t exponent = 0;
  bool negative = false;
};

// t_k of one frequency. 384 bits, of which ComputeTurns promises a relative error below 2^-330.
inline constexpr int kTurnsLimbs = 6;
using Turns = Wide<kTurnsLimbs>;

// An exact position: (-1)^negative * magnitude * 2^exponent, at most 2^63 in absolute value.
struct Position {
  std::uint64_t magnitude = 0;
  std::int32_t exponent = 0;
  bool negative = false;
};

Position PositionOf(std::int64_t position) noexcept;
Position PositionOf(double position) noexcept;  // finite

// Fills turns[0 .. count) from a valid spec; count is the number of its frequencies. Returns kNone, or kFrequency when
// |w_k * position_scale| > 2^64 for a k. The root base^(-2/divisor) is found by Newton's method in integers and
// accepted only when its residual proves the bound above.
Error ComputeTurns(const Spec& spec, std::size_t count, Turns* turns) noexcept;

// The 192 highest fraction bits of t * 2^exponent, as a two's complement fraction of a turn: a value in [0, 1) times
// 2^192, rounded down in magnitude, fraction[0] the lowest. A negative t gives 1 minus the fraction of |t|.
// Then p * t mod 1 is magnitude * fraction mod 2^192, within 2^-128 for magnitudes below 2^64.
void FractionOf(const Turns& t, std::int32_t exponent, std::uint64_t fraction[3]) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_TURNS_H_
