// Test room positions: a position goes in, the forms of it that the lists' kernel reads come out, by other arithmetic
// than that of the door.

#ifndef POSENC_TESTS_LIST_POSITIONS_H_
#define POSENC_TESTS_LIST_POSITIONS_H_

#include <cmath>
#include <cstdint>

#include "src/kernels.h"
#include "src/turns.h"

namespace posenc::test {

inline ListPosition ListPositionOf(std::int64_t position) {
  ListPosition result;
  result.exact = PositionOf(position);
  result.nearest = static_cast<double>(position);
  result.nearest_low = NearestLow(position, result.nearest);
  result.integer = result.exact.magnitude;
  result.is_split = true;
  return result;
}

inline ListPosition ListPositionOf(double position) {
  ListPosition result;
  result.exact = PositionOf(position);
  result.nearest = position;
  const double size = std::fabs(position);
  const double whole = std::floor(size);
  const double rest = (size - whole) * 0x1p64;
  result.is_split = rest == std::floor(rest);
  if (result.is_split) {
    result.integer = static_cast<std::uint64_t>(whole);
    result.fraction = static_cast<std::uint64_t>(rest);
  }
  return result;
}

}  // namespace posenc::test

#endif  // POSENC_TESTS_LIST_POSITIONS_H_
