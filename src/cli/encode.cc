// posenc encode: an encoder and positions go in, a .npy file comes out.

#include "src/cli/encode.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/cli/npy.h"
#include "src/cli/output_file.h"
#include "src/cli/progress.h"
#include "src/cli/row_chunks.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {

Outcome ExpectTableFits(std::uint64_t count, std::size_t dim, const ElementType& type) {
  if (dim == 0 || dim > kLargestDim) return Done();
  const std::uint64_t row_bytes = std::uint64_t{dim} * type.size;
  const std::size_t header_bytes = NpyHeader(type.npy_kind, std::array<std::uint64_t, 2>{count, dim}).size();
  if (count <= (kLargestFile - header_bytes) / row_bytes) return Done();
  return BadCommandLine("the positions and --dim ask for " + std::to_string(count) + " rows of " +
                        std::to_string(row_bytes) + " bytes, and a file must be smaller than 2^63 bytes");
}

Outcome EncodeToNpy(const Encoder& encoder, PositionSource* positions, const ElementType& type,
                    const std::string& path) {
  const std::uint64_t dim = encoder.spec().dim;
  const std::uint64_t count = positions->count();
  const std::string header = NpyHeader(type.npy_kind, std::array{count, dim});
  const std::uint64_t row_bytes = dim * type.size;

  OutputFile file;
  Outcome outcome = file.Open(path);
  if (outcome.done()) outcome = file.Write(header.data(), header.size());
  if (!outcome.done()) return outcome;
  {
    Progress progress(count * row_bytes);
    outcome = ForEachChunk(encoder, positions, count, type, nullptr, [&](const void* data, std::size_t rows) {
      Outcome written = file.Write(data, rows * row_bytes);
      progress.Advance(rows * row_bytes);
      return written;
    });
  }
  return outcome.done() ? file.Commit() : outcome;
}

}  // namespace posenc::cli
