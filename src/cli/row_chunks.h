// Rows in bounded memory: an encoder and positions go in, chunks of encoded rows come out, one after another.

#ifndef POSENC_SRC_CLI_ROW_CHUNKS_H_
#define POSENC_SRC_CLI_ROW_CHUNKS_H_

#include <cstddef>
#include <functional>

#include "posenc/posenc.h"
#include "src/cli/element_type.h"
#include "src/cli/outcome.h"
#include "src/cli/position_range.h"

namespace posenc::cli {

// Calls use(data, rows) for consecutive rows without gaps until all positions are done or use fails. data is aligned to
// kNpyAlignment and holds a MiB, or one row if that is longer; it is the same memory each time.
Outcome ForEachChunk(const Encoder& encoder, const PositionRange& positions, const ElementType& type,
                     const std::function<Outcome(const void* data, std::size_t rows)>& use);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_ROW_CHUNKS_H_
