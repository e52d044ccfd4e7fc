// Room lists: positions that are checked and the rows at them go in, calls of the kernels come out.

#ifndef POSENC_SRC_LISTS_H_
#define POSENC_SRC_LISTS_H_

#include <cstddef>

#include "posenc/posenc.h"
#include "src/calls.h"
#include "src/grid.h"
#include "src/store.h"

namespace posenc {

// At least one position; rows are stored as rows.stores asks for.
void WriteRows(const FrequencyGrid& grid, const Output& rows, const Positions& positions) noexcept;

// The same for rows of heads, which have x, at the positions of a list. shape.head_dim is not 0. Sets rows.stream.
void WriteRotated(const FrequencyGrid& grid, Output& rows, const Positions& positions, HeadShape shape) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_LISTS_H_
