// Room door: memory and positions of a caller go in, the first rule that they break comes out. Every check of an
// argument that more than one file of the door needs.

#ifndef POSENC_SRC_ARGUMENTS_H_
#define POSENC_SRC_ARGUMENTS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "posenc/posenc.h"

namespace posenc {

__extension__ using WideProduct = unsigned __int128;

// row_elements: how many elements of each row a call reads or writes; at least 1, and so is count, unless a function
// says otherwise.
template <class T>
std::size_t StrideOf(const Rows<T>& rows, std::size_t row_elements) noexcept {
  return rows.stride == 0 ? row_elements : rows.stride;
}

// The bytes of the caller that a call reads or writes.
struct Memory {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool Overlaps(const Memory& other) const noexcept { return begin < other.end && other.begin < end; }
};

template <class T>
Memory MemoryOf(const Rows<T>& rows, std::size_t row_elements) noexcept {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(rows.data);
  return {begin, begin + ((rows.count - 1) * StrideOf(rows, row_elements) + row_elements) * sizeof(T)};
}

template <class T>
Memory MemoryOf(std::span<T> elements) noexcept {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(elements.data());
  return {begin, begin + elements.size_bytes()};
}

template <class T>
Error CheckRows(const Rows<T>& rows, std::size_t row_elements, Error null, Error short_stride, Error size) noexcept {
  if (rows.data == nullptr) return null;
  const std::size_t stride = StrideOf(rows, row_elements);
  if (stride < row_elements) return short_stride;
  constexpr std::size_t kMaxElements = static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T);
  // Not a division: it takes a tenth of a short row.
  return WideProduct{stride} * rows.count > kMaxElements ? size : Error::kNone;
}

template <class T>
Error CheckOut(const Rows<T>& out, std::size_t row_elements) noexcept {
  return CheckRows(out, row_elements, Error::kOutNull, Error::kOutStride, Error::kOutSize);
}

// Call it inside DefaultFloatMode: the values are compared.
template <class P>
Error CheckPositionValues(std::span<const P> positions) noexcept {
  if constexpr (std::is_floating_point_v<P>) {
    // Bits, not values: it must hold whatever flags or floating-point mode are in force.
    constexpr double kLimit = 0x1p63;
    constexpr std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63);
    for (const P position : positions) {
      const double magnitude = std::bit_cast<double>(std::bit_cast<std::uint64_t>(double{position}) & kMagnitude);
      if (magnitude > kLimit && magnitude - magnitude == 0.0) return Error::kPosition;
    }
  }
  return Error::kNone;
}

template <class P, class T>
Error CheckPositions(std::span<const P> positions, const Rows<T>& out, std::size_t row_elements) noexcept {
  if (const Error error = CheckPositionValues(positions); error != Error::kNone) return error;
  return MemoryOf(positions).Overlaps(MemoryOf(out, row_elements)) ? Error::kPositionOverlap : Error::kNone;
}

}  // namespace posenc

#endif  // POSENC_SRC_ARGUMENTS_H_
