// Room door: memory and positions of a caller go in, the first rule that they break comes out. Every check of an
// argument that more than one file of the door needs.

#ifndef POSENC_SRC_ARGUMENTS_H_
#define POSENC_SRC_ARGUMENTS_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "posenc/posenc.h"
#include "src/calls.h"
#include "src/store.h"

namespace posenc {

__extension__ using WideProduct = unsigned __int128;

// row_elements: how many elements of each row a call reads or writes; at least 1, and so is count, unless a function
// says otherwise.
template <class Data>
std::size_t StrideOf(const AnyRows<Data>& rows, std::size_t row_elements) noexcept {
  return rows.stride == 0 ? row_elements : rows.stride;
}

// The bytes of the caller that a call reads or writes; none overlap nothing.
struct Memory {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool Overlaps(const Memory& other) const noexcept { return begin < other.end && other.begin < end; }
};

inline Memory MemoryOf(const void* data, std::size_t bytes) noexcept {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(data);
  return {begin, begin + bytes};
}

template <class Data>
Memory MemoryOf(const AnyRows<Data>& rows, std::size_t row_elements) noexcept {
  const std::size_t elements = (rows.count - 1) * StrideOf(rows, row_elements) + row_elements;
  return MemoryOf(rows.data, elements << ElementShift(rows.type));
}

template <class Data>
Error CheckRows(const AnyRows<Data>& rows, std::size_t row_elements, Error null, Error short_stride,
                Error size) noexcept {
  if (rows.data == nullptr) return null;
  const std::size_t stride = StrideOf(rows, row_elements);
  if (stride < row_elements) return short_stride;
  // Not a division: it takes a tenth of a short row.
  const std::size_t most = static_cast<std::size_t>(PTRDIFF_MAX) >> ElementShift(rows.type);
  return WideProduct{stride} * rows.count > most ? size : Error::kNone;
}

inline Error CheckOut(const AnyRows<void>& out, std::size_t row_elements) noexcept {
  return CheckRows(out, row_elements, Error::kOutNull, Error::kOutStride, Error::kOutSize);
}

// Whether each position is NaN, infinite, or at most 2^63 in absolute value.
template <class P>
bool AreValid(const P* positions, std::size_t count) noexcept {
  // Bits, not values: it must hold whatever flags or floating-point mode are in force.
  constexpr double kLimit = 0x1p63;
  constexpr std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63);
  for (std::size_t row = 0; row < count; ++row) {
    const double magnitude = std::bit_cast<double>(std::bit_cast<std::uint64_t>(double{positions[row]}) & kMagnitude);
    if (magnitude > kLimit && magnitude - magnitude == 0.0) return false;
  }
  return true;
}

// Of planes the second memory is that of the other plane. Call it inside DefaultFloatMode: values are compared.
inline Error CheckPositions(const Positions& positions, const Memory& written, const Memory& second = {}) noexcept {
  std::size_t bytes = 4;
  switch (positions.type) {
    case PositionType::kRange: {
      const Int128 last =
          Int128{positions.start} + Int128{positions.step} * static_cast<std::int64_t>(positions.count - 1);
      return last < INT64_MIN || last > INT64_MAX ? Error::kRange : Error::kNone;
    }
    case PositionType::kInt32:
      break;
    case PositionType::kFloat:
      if (!AreValid(static_cast<const float*>(positions.list), positions.count)) return Error::kPosition;
      break;
    case PositionType::kDouble:
      if (!AreValid(static_cast<const double*>(positions.list), positions.count)) return Error::kPosition;
      [[fallthrough]];
    case PositionType::kInt64:
      bytes = 8;
  }
  const Memory read = MemoryOf(positions.list, positions.count * bytes);
  return read.Overlaps(written) || read.Overlaps(second) ? Error::kPositionOverlap : Error::kNone;
}

}  // namespace posenc

#endif  // POSENC_SRC_ARGUMENTS_H_
