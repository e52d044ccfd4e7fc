// posenc encode: an encoder and positions go in, a .npy file comes out.

#ifndef POSENC_SRC_CLI_ENCODE_H_
#define POSENC_SRC_CLI_ENCODE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "posenc/posenc.h"
#include "src/cli/element_type.h"
#include "src/cli/outcome.h"
#include "src/cli/position_source.h"

namespace posenc::cli {

// Refuses a table of count rows of dim elements that no file can hold. It takes a moment, whatever dim is, so that it
// can be asked before an encoder is made; a dim that no encoder has passes.
Outcome ExpectTableFits(std::uint64_t count, std::size_t dim, const ElementType& type);

// Writes the table of shape (positions->count(), dim) to path, a chunk of rows at a time: the memory used does not grow
// with the number of rows. The table fits.
Outcome EncodeToNpy(const Encoder& encoder, PositionSource* positions, const ElementType& type,
                    const std::string& path);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_ENCODE_H_
