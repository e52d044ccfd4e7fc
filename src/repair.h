// Room repair: a frequency in turns, a position and what to add go in, the correctly rounded element comes out. Scalar
// integer arithmetic; the rounding test calls it for the few elements that it cannot decide.

#ifndef POSENC_SRC_REPAIR_H_
#define POSENC_SRC_REPAIR_H_

#include "posenc/posenc.h"
#include "src/turns.h"

namespace posenc {

enum class Wave : std::uint8_t { kSin, kCos };

// What EncodeAdd adds: the exact product scale * x. scale is finite.
struct Addend {
  double scale = 0.0;
  double x = 0.0;
};

// scale * x + amplitude * wave(2 pi * position * turns), rounded once to T (to nearest, ties to even), whatever the
// rounding mode of the CPU; addend may be null. T: float, double, Half, BFloat16. amplitude is finite.
// A NaN or infinite x gives the quiet NaN (positive, no payload) or the infinity of scale * x.
// An exact zero: the sine of a zero angle is a zero whose sign is the product of the signs of position, turns and
// amplitude, and it is added as IEEE 754 adds zeros; an exact sum that cancels to zero gives +0. An amplitude of zero
// gives a zero with the sign of amplitude * wave.
template <class T>
T Repair(const Turns& turns, const Position& position, Wave wave, double amplitude, const Addend* addend) noexcept;

// amplitude * (on_cos * cos(angle) + on_sin * sin(angle)), angle = 2 pi * position * turns, rounded once to T like
// Repair. A rotation of (a, b) is on_cos = a, on_sin = -b for the first element and on_cos = b, on_sin = a for the
// second. on_cos and on_sin may be NaN or infinite: infinities add as in IEEE 754, and every NaN is the positive quiet
// one. Zeros add as in IEEE 754 too. A zero angle is no rotation: amplitude * on_cos, whatever on_sin is.
template <class T>
T RepairRotation(const Turns& turns, const Position& position, double amplitude, double on_cos, double on_sin) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_REPAIR_H_
