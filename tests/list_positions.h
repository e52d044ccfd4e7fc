// Test room positions: a position goes in, the forms of it that the lists' kernel reads come out; of a double by other
// arithmetic than that of the door.

#ifndef POSENC_TESTS_LIST_POSITIONS_H_
#define POSENC_TESTS_LIST_POSITIONS_H_

#include <cmath>
#include <cstdint>

#include "src/kernels.h"
#include "src/turns.h"

namespace posenc::test {

using posenc::ListPositionOf;  // of an integer

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
