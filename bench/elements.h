// Bench, elements: the bits of an element of any of the four types go in, their exact value as a double comes out.

#ifndef POSENC_BENCH_ELEMENTS_H_
#define POSENC_BENCH_ELEMENTS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "posenc/posenc.h"

namespace posenc_bench {

// A binary format of IEEE 754: sign, exponent, fraction. precision counts the leading bit, which is not stored.
struct Format {
  const char* name;
  int bits;
  int precision;

  std::size_t Bytes() const { return static_cast<std::size_t>(bits / 8); }
  int ExponentBits() const { return bits - precision; }
  int Bias() const { return (1 << (ExponentBits() - 1)) - 1; }
  // 2^MinExponent() is the smallest normal number.
  int MinExponent() const { return 1 - Bias(); }
};

inline constexpr Format kF32 = {"f32", 32, 24};
inline constexpr Format kF64 = {"f64", 64, 53};
inline constexpr Format kF16 = {"f16", 16, 11};
inline constexpr Format kBF16 = {"bf16", 16, 8};

// Calls function(T{}) with the type of a format.
template <class Function>
decltype(auto) VisitType(const Format& format, Function&& function) {
  if (format.bits == 64) return function(double{});
  if (format.bits == 32) return function(float{});
  return format.precision == kF16.precision ? function(posenc::Half{}) : function(posenc::BFloat16{});
}

inline std::uint64_t LoadBits(const void* element, const Format& format) {
  if (format.bits == 64) {
    std::uint64_t bits;
    std::memcpy(&bits, element, sizeof(bits));
    return bits;
  }
  if (format.bits == 32) {
    std::uint32_t bits;
    std::memcpy(&bits, element, sizeof(bits));
    return bits;
  }
  std::uint16_t bits;
  std::memcpy(&bits, element, sizeof(bits));
  return bits;
}

// The value of an element; NaN for infinities too, which nothing here should write.
inline double Value(const void* element, const Format& format) {
  const std::uint64_t bits = LoadBits(element, format);
  const int fraction_bits = format.precision - 1;
  const std::uint64_t leading = std::uint64_t{1} << fraction_bits;
  const std::uint64_t fraction = bits & (leading - 1);
  const std::uint64_t exponent_mask = (std::uint64_t{1} << format.ExponentBits()) - 1;
  const auto exponent = static_cast<int>((bits >> fraction_bits) & exponent_mask);
  if (exponent == static_cast<int>(exponent_mask)) return std::numeric_limits<double>::quiet_NaN();
  const auto integer = static_cast<double>(exponent == 0 ? fraction : fraction | leading);
  const int scale = (exponent == 0 ? 1 : exponent) - format.Bias() - fraction_bits;
  const double value = std::ldexp(integer, scale);
  return (bits >> (format.bits - 1)) != 0 ? -value : value;
}

}  // namespace posenc_bench

#endif  // POSENC_BENCH_ELEMENTS_H_
