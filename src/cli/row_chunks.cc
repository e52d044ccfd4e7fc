// Rows in bounded memory: an encoder and positions go in, chunks of encoded rows come out, one after another.

#include "src/cli/row_chunks.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "src/cli/npy.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {
namespace {

// A chunk stays in the second-level cache until it has been used.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

struct AlignedDelete {
  void operator()(void* data) const noexcept { ::operator delete (data, std::align_val_t{kNpyAlignment}); }
};

}  // namespace

Outcome ForEachChunk(const Encoder& encoder, const PositionRange& positions, const ElementType& type,
                     const std::function<Outcome(const void* data, std::size_t rows)>& use) {
  const std::size_t row_bytes = encoder.spec().dim * type.size;
  const std::size_t most_rows = std::max<std::size_t>(kChunkBytes / row_bytes, 1);
  const std::unique_ptr<void, AlignedDelete> chunk(
      ::operator new (most_rows* row_bytes, std::align_val_t{kNpyAlignment}, std::nothrow));
  if (!chunk) {
    return Failure("--dim " + std::to_string(encoder.spec().dim) + " needs a row of " + std::to_string(row_bytes) +
                   " bytes, more memory than this machine gives");
  }
  for (std::uint64_t row = 0; row < positions.count;) {
    const std::size_t rows = std::min<std::uint64_t>(most_rows, positions.count - row);
    const Error error = type.encode_range(encoder, positions.at(row), positions.step, rows, chunk.get());
    if (error != Error::kNone) return Failure(SentenceOf(error));
    Outcome used = use(chunk.get(), rows);
    if (!used.done()) return used;
    row += rows;
  }
  return Done();
}

}  // namespace posenc::cli
