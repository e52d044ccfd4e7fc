// Room repair: a frequency in turns, a position and what to add go in, the correctly rounded element comes out. Scalar
// integer arithmetic; the rounding test calls it for the few elements that it cannot decide.

#ifndef POSENC_SRC_REPAIR_H_
#define POSENC_SRC_REPAIR_H_

#include <bit>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc.h"
#include "src/turns.h"

namespace posenc {

// A binary format of IEEE 754: digits of the significand with the hidden one; values in [2^(e-1), 2^e) with
// min_exponent <= e <= max_exponent are normal. The numbers are those of std::numeric_limits.
struct Format {
  int digits;
  std::int32_t min_exponent;
  std::int32_t max_exponent;
};

template <class T>
inline constexpr Format kFormat = {};
template <>
inline constexpr Format kFormat<float> = {24, -125, 128};
template <>
inline constexpr Format kFormat<double> = {53, -1021, 1024};
template <>
inline constexpr Format kFormat<Half> = {11, -13, 16};
template <>
inline constexpr Format kFormat<BFloat16> = {8, -125, 128};

enum class Wave : std::uint8_t { kSin, kCos };

// What EncodeAdd adds: the exact product scale * x. scale is finite.
struct Addend {
  double scale = 0.0;
  double x = 0.0;
};

// The bits of scale * x + amplitude * wave(2 pi * position * turns), rounded once to a format (to nearest, ties to
// even), whatever the rounding mode of the CPU; addend may be null. amplitude is finite.
// A NaN or infinite x gives the quiet NaN (positive, no payload) or the infinity of scale * x.
// An exact zero: the sine of a zero angle is a zero whose sign is the product of the signs of position, turns and
// amplitude, and it is added as IEEE 754 adds zeros; an exact sum that cancels to zero gives +0. An amplitude of zero
// gives a zero with the sign of amplitude * wave.
std::uint64_t RepairedBits(const Turns& turns, const Position& position, Wave wave, double amplitude,
                           const Addend* addend, Format format) noexcept;

// amplitude * (on_cos * cos(angle) + on_sin * sin(angle)), angle = 2 pi * position * turns, rounded once like that. A
// rotation of (a, b) is on_cos = a, on_sin = -b for the first element and on_cos = b, on_sin = a for the second. on_cos
// and on_sin may be NaN or infinite: infinities add as in IEEE 754, and every NaN is the positive quiet one. Zeros add
// as in IEEE 754 too. A zero angle is no rotation: amplitude * on_cos, whatever on_sin is.
std::uint64_t RepairedRotationBits(const Turns& turns, const Position& position, double amplitude, double on_cos,
                                   double on_sin, Format format) noexcept;

template <class T>
T FromBits(std::uint64_t bits) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  return std::bit_cast<T>(static_cast<Bits>(bits));
}

// The same as elements. T: float, double, Half, BFloat16.
template <class T>
T Repair(const Turns& turns, const Position& position, Wave wave, double amplitude, const Addend* addend) noexcept {
  return FromBits<T>(RepairedBits(turns, position, wave, amplitude, addend, kFormat<T>));
}

template <class T>
T RepairRotation(const Turns& turns, const Position& position, double amplitude, double on_cos,
                 double on_sin) noexcept {
  return FromBits<T>(RepairedRotationBits(turns, position, amplitude, on_cos, on_sin, kFormat<T>));
}

}  // namespace posenc

#endif  // POSENC_SRC_REPAIR_H_
