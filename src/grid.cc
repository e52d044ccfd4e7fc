// Room grid: a valid Spec goes in, the constants that the kernels read come out.

#include "src/grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "src/spec.h"
#include "src/turns.h"

namespace posenc {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::size_t kAlignment = 128;  // two cache lines; vectors of up to 1024 bits load aligned

// 2 pi = 4 * 1.57..., as the highest 128 bits of pi/2 * 2^127: floor(pi * 2^126), from the hexadecimal expansion of pi.
constexpr std::uint64_t kPiHigh = 0xC90FDAA22168C234u;
constexpr std::uint64_t kPiLow = 0xC4C6628B80DC1CD1u;

// The highest 128 bits of a * b, each of 128 bits; at most 2 units too low.
Uint128 MultiplyHigh(Uint128 a, Uint128 b) noexcept {
  const std::uint64_t a1 = static_cast<std::uint64_t>(a >> 64), a0 = static_cast<std::uint64_t>(a);
  const std::uint64_t b1 = static_cast<std::uint64_t>(b >> 64), b0 = static_cast<std::uint64_t>(b);
  const Uint128 middle = (Uint128{a1} * b0 >> 64) + (Uint128{a0} * b1 >> 64);
  return Uint128{a1} * b1 + middle;
}

// size * 2^exponent, negative or not, as the sum of two doubles, each of at most 53 bits, so that the only error is the
// bits dropped below: 2^-104 relative, unless low underflows. Only 0 gives 0.
void SplitInDoubles(Uint128 size, int exponent, bool negative, double& high, double& low) noexcept {
  if (size == 0) {
    high = negative ? -0.0 : 0.0;
    low = 0.0;
    return;
  }
  while (size >> 127 == 0) {
    size <<= 1;
    --exponent;
  }
  const std::uint64_t top = static_cast<std::uint64_t>(size >> 75);                                    // 53 bits
  const std::uint64_t next = static_cast<std::uint64_t>(size >> 22) & ((std::uint64_t{1} << 53) - 1);  // 53 bits
  const double sign = negative ? -1.0 : 1.0;
  const double top_value = sign * std::ldexp(static_cast<double>(top), exponent + 75);
  const double next_value = sign * std::ldexp(static_cast<double>(next), exponent + 22);
  high = top_value + next_value;  // exact remainder below: |top| >= |next|
  low = next_value - (high - top_value);
  if (high == 0.0) high = sign * 0x1p-1074;  // 0 is for a frequency of 0
}

// turns in radians (times 2 pi) and in eighths of a turn.
void SplitTurns(const Turns& turns, double& radians, double& radians_low, double& eighths,
                double& eighths_low) noexcept {
  const Uint128 t = Uint128{turns.limb[kTurnsLimbs - 1]} << 64 | turns.limb[kTurnsLimbs - 2];
  const int exponent = turns.exponent + 3 - 128;
  SplitInDoubles(MultiplyHigh(t, Uint128{kPiHigh} << 64 | kPiLow), exponent, turns.negative, radians, radians_low);
  SplitInDoubles(t, exponent, turns.negative, eighths, eighths_low);
}

// Hands out parts of one allocation, each aligned to kAlignment. With a null start it only counts.
class Carver {
 public:
  explicit Carver(std::byte* start) noexcept : start_(start) {}

  template <class T>
  T* Take(std::size_t count) noexcept {
    T* const taken = start_ == nullptr ? nullptr : reinterpret_cast<T*>(start_ + used_);
    used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return taken;
  }
  std::size_t used() const noexcept { return used_; }

 private:
  std::byte* start_;
  std::size_t used_ = 0;
};

std::size_t Carve(std::byte* start, std::size_t groups, std::size_t frequencies, FrequencyGrid& grid) noexcept {
  Carver carver(start);
  const std::size_t padded = groups * kGroup;
  grid.rotation = carver.Take<double>(groups * kRotationDoubles);
  grid.rotation_low = carver.Take<double>(groups * kRotationDoubles);
  for (std::uint64_t*& limb : grid.half.limb) limb = carver.Take<std::uint64_t>(padded);
  for (std::uint64_t*& limb : grid.whole.limb) limb = carver.Take<std::uint64_t>(padded);
  for (std::uint64_t*& limb : grid.part.limb) limb = carver.Take<std::uint64_t>(padded);
  grid.radians = carver.Take<double>(padded);
  grid.radians_low = carver.Take<double>(padded);
  grid.eighths = carver.Take<double>(padded);
  grid.eighths_low = carver.Take<double>(padded);
  grid.most_radians = carver.Take<double>(groups);
  grid.least_radians = carver.Take<double>(groups);
  grid.turns = carver.Take<Turns>(frequencies);
  return carver.used();
}

}  // namespace

Error FillGrid(const Spec& spec, FrequencyGrid& grid) noexcept {
  grid.shape = ShapeOf(spec);
  grid.cos_first = spec.cos_first;
  grid.amplitude = spec.amplitude;
  grid.is_scaled = spec.amplitude != 1.0;
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(spec.amplitude), &exponent);  // in [1/2, 1), or 0
  // With amplitude 0 the sign of a zero is the sign of the wave, which the eps of amplitude 1 leaves to repair.
  grid.eps_scale = std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
  grid.is_extreme = spec.amplitude != 0.0 && !(grid.eps_scale >= 0x1p-60 && grid.eps_scale <= 0x1p60);
  const std::size_t frequencies = grid.shape.sines;
  grid.groups = (frequencies + kGroup - 1) / kGroup;

  const std::size_t bytes = Carve(nullptr, grid.groups, frequencies, grid);
  grid.memory.reset(new (std::nothrow) std::byte[bytes + kAlignment]());
  if (grid.memory == nullptr) return Error::kMemory;
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(grid.memory.get()) % kAlignment;
  Carve(grid.memory.get() + (kAlignment - misaligned), grid.groups, frequencies, grid);
  std::uninitialized_default_construct_n(grid.turns, frequencies);

  if (const Error error = ComputeTurns(spec, frequencies, grid.turns); error != Error::kNone) return error;
  for (std::size_t k = 0; k < frequencies; ++k) {
    std::uint64_t fraction[3];
    FractionOf(grid.turns[k], -1, fraction);
    for (int i = 0; i < 3; ++i) grid.half.limb[i][k] = fraction[i];
    FractionOf(grid.turns[k], 0, fraction);
    for (int i = 0; i < 3; ++i) grid.whole.limb[i][k] = fraction[i];
    FractionOf(grid.turns[k], -64, fraction);
    for (int i = 0; i < 3; ++i) grid.part.limb[i][k] = fraction[i];
    SplitTurns(grid.turns[k], grid.radians[k], grid.radians_low[k], grid.eighths[k], grid.eighths_low[k]);
  }
  // Padding computes what the first frequency of its group does, so that it is no special case of any test.
  for (std::size_t k = frequencies; k < grid.groups * kGroup; ++k) {
    const std::size_t first = (grid.groups - 1) * kGroup;
    for (const Fractions* fractions : {&grid.half, &grid.whole, &grid.part}) {
      for (std::uint64_t* const limb : fractions->limb) limb[k] = limb[first];
    }
    for (double* const column : {grid.radians, grid.radians_low, grid.eighths, grid.eighths_low}) {
      column[k] = column[first];
    }
  }
  for (std::size_t g = 0; g < grid.groups; ++g) {
    const std::size_t begin = g * kGroup, end = std::min(begin + kGroup, frequencies);
    double least = std::fabs(grid.radians[begin]), most = least;
    for (std::size_t k = begin; k < end; ++k) {
      least = std::min(least, std::fabs(grid.radians[k]));
      most = std::max(most, std::fabs(grid.radians[k]));
    }
    grid.least_radians[g] = least;
    grid.most_radians[g] = most;
  }
  return Error::kNone;
}

}  // namespace posenc
