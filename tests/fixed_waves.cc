// Test room fixed waves: tables from MPFR, rotations and roundings in integers.

#include "tests/fixed_waves.h"

#include <bit>

namespace posenc::test {
namespace {

// |value| <= 1, to nearest.
Fixed FixedOf(mpfr_srcptr value) {
  static thread_local Real scaled(Reference::kValueBits);
  static thread_local Real upper(64);
  mpfr_mul_2ui(scaled, value, kFixedBits, MPFR_RNDN);
  mpfr_abs(scaled, scaled, MPFR_RNDN);
  mpfr_rint(scaled, scaled, MPFR_RNDN);
  mpfr_div_2ui(upper, scaled, 64, MPFR_RNDZ);
  const std::uintmax_t high = mpfr_get_uj(upper, MPFR_RNDZ);
  mpfr_set_uj(upper, high, MPFR_RNDN);
  mpfr_mul_2ui(upper, upper, 64, MPFR_RNDN);
  mpfr_sub(scaled, scaled, upper, MPFR_RNDN);
  const std::uintmax_t low = mpfr_get_uj(scaled, MPFR_RNDN);
  const auto magnitude = static_cast<Fixed>((static_cast<UnsignedFixed>(high) << 64) | low);
  return mpfr_signbit(value) != 0 ? -magnitude : magnitude;
}

// a * b less at most 3 units of its magnitude. Magnitudes are at most 2^126 and their upper halves at most 2^62, so
// that no sum overflows.
inline Fixed Multiply(Fixed a, Fixed b) {
  const bool negative = (a < 0) != (b < 0);
  const auto ua = static_cast<UnsignedFixed>(a < 0 ? -a : a);
  const auto ub = static_cast<UnsignedFixed>(b < 0 ? -b : b);
  const UnsignedFixed a1 = static_cast<std::uint64_t>(ua >> 64);
  const UnsignedFixed b1 = static_cast<std::uint64_t>(ub >> 64);
  const UnsignedFixed a0 = static_cast<std::uint64_t>(ua);
  const UnsignedFixed b0 = static_cast<std::uint64_t>(ub);
  const auto product = static_cast<Fixed>(((a1 * b1) << 2) + ((a1 * b0 + a0 * b1) >> 62));
  return negative ? -product : product;
}

template <class T>
struct FixedRounding {
  T value;
  UnsignedFixed distance;  // from the midpoint of the cell of the value, in units
};

// The distance of a value too small to have a cell of at least 2^8 units, or a certain sign, is 0.
template <class T>
inline FixedRounding<T> RoundFixed(Fixed value) {
  const bool negative = value < 0;
  const auto magnitude = static_cast<UnsignedFixed>(negative ? -value : value);
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const auto low = static_cast<std::uint64_t>(magnitude);
  const int leading = high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(low);
  const int shift = QuantumExponent<T>(leading - kFixedBits) + kFixedBits;
  if (shift < 8 || magnitude <= UnsignedFixed{kFixedError}) return {FromBits<T>(0), 0};
  const UnsignedFixed half = UnsignedFixed{1} << (shift - 1);
  const UnsignedFixed rest = magnitude & (2 * half - 1);
  const bool up = rest >= half;
  const std::uint64_t significand = static_cast<std::uint64_t>(magnitude >> shift) + (up ? 1 : 0);
  return {Assemble<T>(negative, significand, shift - kFixedBits), up ? rest - half : half - rest};
}

}  // namespace

FixedWaves::FixedWaves(Reference& reference, std::size_t rows)
    : reference_(reference), rows_(rows), sin_(Reference::kValueBits), cos_(Reference::kValueBits) {
  rotations_.reserve(rows * frequencies());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < frequencies(); ++k) {
      reference_.SinCos(static_cast<std::int64_t>(r), k, sin_, cos_);
      rotations_.push_back({FixedOf(sin_), FixedOf(cos_)});
    }
  }
}

void FixedWaves::SetStart(std::int64_t start) {
  start_ = start;
  anchors_.clear();
  for (std::size_t k = 0; k < frequencies(); ++k) {
    reference_.SinCos(start, k, sin_, cos_);
    anchors_.push_back({FixedOf(sin_), FixedOf(cos_)});
  }
}

FixedWave FixedWaves::Wave(std::size_t r, std::size_t k) const {
  const FixedWave& a = anchors_[k];
  const FixedWave& b = rotations_[r * frequencies() + k];
  return {Multiply(a.sin, b.cos) + Multiply(a.cos, b.sin), Multiply(a.cos, b.cos) - Multiply(a.sin, b.sin)};
}

template <class T>
std::size_t FixedWaves::RoundPair(const FixedWave& wave, std::size_t r, std::size_t k, T* pair) {
  const FixedRounding<T> sin = RoundFixed<T>(wave.sin);
  const FixedRounding<T> cos = RoundFixed<T>(wave.cos);
  pair[0] = sin.value;
  pair[1] = cos.value;
  const bool sin_is_near = sin.distance <= Window<T>();
  const bool cos_is_near = cos.distance <= Window<T>();
  if (sin_is_near || cos_is_near) [[unlikely]] {
    reference_.SinCos(start_ + static_cast<std::int64_t>(r), k, sin_, cos_);
    if (sin_is_near) pair[0] = RoundOnce<T>(sin_);
    if (cos_is_near) pair[1] = RoundOnce<T>(cos_);
  }
  return std::size_t{sin_is_near} + std::size_t{cos_is_near};
}

template <class... T>
void FixedWaves::Round(std::size_t (&decided)[sizeof...(T)], T*... out) {
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t k = 0; k < frequencies(); ++k, at += 2) {
      const FixedWave wave = Wave(r, k);
      std::size_t type = 0;
      ((decided[type++] += RoundPair(wave, r, k, out + at)), ...);
    }
  }
}

template void FixedWaves::Round(std::size_t (&)[4], float*, double*, Half*, BFloat16*);

}  // namespace posenc::test
