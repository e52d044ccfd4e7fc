// Room door: the axes of a grid and the caller's memory go in, the rows of the grid come out. It stands on the other
// calls of the door: one Encode an axis, and copies.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "posenc/posenc.h"
#include "src/arguments.h"
#include "src/calls.h"
#include "src/float_mode.h"
#include "src/store.h"

namespace posenc {
namespace {

std::size_t DimOf(const Axis& axis) noexcept { return axis.encoder->spec().dim; }

// The product of the lengths; false where it is no size_t.
bool CellsOf(std::span<const Axis> axes, std::size_t& cells) noexcept {
  cells = axes.empty() ? 0 : 1;
  bool fits = true;
  for (const Axis& axis : axes) {
    const std::size_t length = axis.positions.size();
    if (length == 0) {  // whatever the others are
      cells = 0;
      return true;
    }
    fits = fits && cells <= SIZE_MAX / length;
    if (fits) cells *= length;
  }
  return fits;
}

// Elements of a row: the largest column + dim. False: columns that two axes share, or that no memory has.
bool RowElementsOf(std::span<const Axis> axes, std::size_t& elements) noexcept {
  elements = 0;
  for (const Axis& axis : axes) {
    const std::size_t begin = axis.column;
    if (begin > static_cast<std::size_t>(PTRDIFF_MAX) - DimOf(axis)) return false;
    const std::size_t end = begin + DimOf(axis);
    for (const Axis& other : axes) {
      // Of two that overlap one begins inside the other.
      if (&other != &axis && begin >= other.column && begin - other.column < DimOf(other)) return false;
    }
    elements = std::max(elements, end);
  }
  return true;
}

}  // namespace

Error EncodeGridRows(std::span<const Axis> axes, const AnyRows<void>& out) noexcept {
  for (const Axis& axis : axes) {
    if (axis.encoder == nullptr || DimOf(axis) == 0) return Error::kNotMade;
  }
  std::size_t cells = 0;
  if (!CellsOf(axes, cells) || cells != out.count) return Error::kGridCount;
  std::size_t elements = 0;
  if (!RowElementsOf(axes, elements)) return Error::kAxisColumns;
  if (cells == 0) return Error::kNone;
  if (const Error error = CheckOut(out, elements); error != Error::kNone) return error;
  {
    const DefaultFloatMode mode;
    for (const Axis& axis : axes) {
      const Error error = CheckPositions(ListOf(axis.positions), MemoryOf(out, elements));
      if (error != Error::kNone) return error;
    }
  }

  // Position j of an axis is the same in rows j * inner .. (j + 1) * inner - 1 and so on every length * inner rows. The
  // first of these rows takes the encoding from Encode: rows that are inner rows apart, so one call with a wide stride.
  const std::size_t stride = StrideOf(out, elements);
  const int shift = ElementShift(out.type);
  char* const data = static_cast<char*>(out.data);
  std::size_t inner = cells;
  for (const Axis& axis : axes) {
    inner /= axis.positions.size();
    const AnyRows<void> first{data + (axis.column << shift), out.type, inner * stride, Stores::kAuto,
                              axis.positions.size()};
    const Error error = EncodeRows(StateOf(*axis.encoder), ListOf(axis.positions), first);
    if (error != Error::kNone) return error;
  }
  // The other rows copy it, row by row, so that a large table passes through the caches once.
  for (std::size_t row = 0; row < cells; ++row) {
    inner = cells;
    for (const Axis& axis : axes) {
      const std::size_t length = axis.positions.size();
      inner /= length;
      const std::size_t from = row / inner % length * inner;
      if (from == row) continue;
      std::memcpy(data + ((row * stride + axis.column) << shift), data + ((from * stride + axis.column) << shift),
                  DimOf(axis) << shift);
    }
  }
  return Error::kNone;
}

template <class T>
Error EncodeGrid(std::span<const Axis> axes, Rows<T> out) noexcept {
  return EncodeGridRows(axes, Untyped(out));
}

template Error EncodeGrid(std::span<const Axis>, Rows<float>) noexcept;
template Error EncodeGrid(std::span<const Axis>, Rows<double>) noexcept;
template Error EncodeGrid(std::span<const Axis>, Rows<Half>) noexcept;
template Error EncodeGrid(std::span<const Axis>, Rows<BFloat16>) noexcept;

}  // namespace posenc
