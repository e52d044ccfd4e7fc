// Rows in bounded memory: an encoder, positions and perhaps x go in, chunks of rows come out, one after another.

#ifndef POSENC_SRC_CLI_ROW_CHUNKS_H_
#define POSENC_SRC_CLI_ROW_CHUNKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "posenc/posenc.h"
#include "src/cli/element_type.h"
#include "src/cli/outcome.h"
#include "src/cli/position_source.h"

namespace posenc::cli {

using UseChunk = std::function<Outcome(const void* data, std::size_t rows)>;

// What encodings are added to.
struct Addend {
  double scale = 1.0;
  // Fills data with the next rows of x.
  std::function<Outcome(void* data, std::size_t rows)> read;
};

// Calls use(data, rows) for consecutive rows without gaps until `rows` of them are done or something fails; when they
// are more than the positions, those go round. data is aligned to kNpyAlignment and holds a MiB, or one row if that is
// longer; it is the same memory each time. The elements are encodings, or addend->scale * x + the encodings if addend
// is not null; type.encode_add is not null then.
Outcome ForEachChunk(const Encoder& encoder, PositionSource* positions, std::uint64_t rows, const ElementType& type,
                     const Addend* addend, const UseChunk& use);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_ROW_CHUNKS_H_
