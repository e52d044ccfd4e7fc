// Test room rounding: an exact or a wide number goes in, the nearest value of an output type comes out, ties to even,
// with subnormals, signed zeros and overflow to infinity as IEEE 754 has them. One rounding, whatever the type.

#ifndef POSENC_TESTS_ROUNDING_H_
#define POSENC_TESTS_ROUNDING_H_

#include <bit>
#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>

#include "posenc/posenc.h"

namespace posenc::test {

// Bits of an output type, as an unsigned integer of its size.
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

template <class T>
BitsOf<T> ToBits(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}

template <class T>
T FromBits(BitsOf<T> bits) {
  return std::bit_cast<T>(bits);
}

// kPrecision: bits of the significand with the hidden one. kLowest: exponent of the least subnormal.
template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr const char* kName = "float";
  static constexpr int kPrecision = 24;
  static constexpr int kLowest = -149;
};
template <>
struct Format<double> {
  static constexpr const char* kName = "double";
  static constexpr int kPrecision = 53;
  static constexpr int kLowest = -1074;
};
template <>
struct Format<Half> {
  static constexpr const char* kName = "Half";
  static constexpr int kPrecision = 11;
  static constexpr int kLowest = -24;
};
template <>
struct Format<BFloat16> {
  static constexpr const char* kName = "BFloat16";
  static constexpr int kPrecision = 8;
  static constexpr int kLowest = -133;
};

template <class T>
constexpr BitsOf<T> SignBit() {
  return static_cast<BitsOf<T>>(BitsOf<T>{1} << (8 * sizeof(T) - 1));
}

template <class T>
constexpr BitsOf<T> InfinityBits() {
  constexpr int kFraction = Format<T>::kPrecision - 1;
  return static_cast<BitsOf<T>>((SignBit<T>() - 1) >> kFraction << kFraction);
}

template <class T>
constexpr BitsOf<T> QuietNanBits() {
  return static_cast<BitsOf<T>>(InfinityBits<T>() | (BitsOf<T>{1} << (Format<T>::kPrecision - 2)));
}

template <class T>
bool IsNan(T value) {
  return (ToBits(value) & ~SignBit<T>()) > InfinityBits<T>();
}

// The contract is about bits. Every NaN that the library writes is the positive quiet one.
template <class T>
bool Same(T got, T want) {
  return ToBits(got) == ToBits(want);
}

// Exponent of the last place of a T whose leading bit is 2^leading.
template <class T>
constexpr int QuantumExponent(int leading) {
  const int normal = leading - (Format<T>::kPrecision - 1);
  return normal < Format<T>::kLowest ? Format<T>::kLowest : normal;
}

// (-1)^negative * significand * 2^quantum. quantum is what QuantumExponent gave; significand is at most 2^kPrecision,
// which it reaches when rounding carried into the next binade: the sum below carries with it, also into infinity.
template <class T>
T Assemble(bool negative, std::uint64_t significand, int quantum) {
  constexpr int kFraction = Format<T>::kPrecision - 1;
  const auto binades = static_cast<std::uint64_t>(quantum - Format<T>::kLowest);
  const std::uint64_t limit = InfinityBits<T>();
  std::uint64_t bits = limit;
  if (binades <= (limit >> kFraction)) bits = (binades << kFraction) + significand;
  if (bits > limit) bits = limit;
  return FromBits<T>(static_cast<BitsOf<T>>(bits | (negative ? SignBit<T>() : 0)));
}

// The exact value of an output type, as a double.
double ToDouble(float value);
double ToDouble(double value);
double ToDouble(Half value);
double ToDouble(BFloat16 value);

// What a failing test prints: the value in hexadecimal and its bits.
std::string Describe(double value, std::uint64_t bits, int digits);
template <class T>
std::string Describe(T value) {
  return Describe(ToDouble(value), ToBits(value), static_cast<int>(2 * sizeof(T)));
}

}  // namespace posenc::test

#endif  // POSENC_TESTS_ROUNDING_H_
