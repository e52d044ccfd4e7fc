// Rows in bounded memory: an encoder, positions and perhaps x go in, chunks of rows come out, one after another.

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

// Encodes `rows` rows to data, or adds their encodings to what is there.
Outcome EncodeChunk(const Encoder& encoder, PositionSource* positions, std::size_t rows, const ElementType& type,
                    const Addend* addend, char* data) {
  const std::size_t row_bytes = encoder.spec().dim * type.size;
  while (rows > 0) {
    PositionBlock block;
    Outcome outcome = positions->Next(rows, &block);
    if (!outcome.done()) return outcome;
    const Error error =
        addend == nullptr ? type.encode(encoder, block, data) : type.encode_add(encoder, block, addend->scale, data);
    if (error != Error::kNone) return Failure(SentenceOf(error));
    rows -= RowsOf(block);
    data += RowsOf(block) * row_bytes;
  }
  return Done();
}

}  // namespace

Outcome ForEachChunk(const Encoder& encoder, PositionSource* positions, std::uint64_t rows, const ElementType& type,
                     const Addend* addend, const UseChunk& use) {
  const std::size_t row_bytes = encoder.spec().dim * type.size;
  const std::size_t most_rows = std::max<std::size_t>(kChunkBytes / row_bytes, 1);
  const std::unique_ptr<void, AlignedDelete> chunk(
      ::operator new (most_rows* row_bytes, std::align_val_t{kNpyAlignment}, std::nothrow));
  if (!chunk) {
    return Failure("--dim " + std::to_string(encoder.spec().dim) + " needs a row of " + std::to_string(row_bytes) +
                   " bytes, more memory than this machine gives");
  }
  while (rows > 0) {
    const std::size_t now = std::min<std::uint64_t>(most_rows, rows);
    Outcome outcome = addend == nullptr ? Done() : addend->read(chunk.get(), now);
    if (outcome.done()) {
      outcome = EncodeChunk(encoder, positions, now, type, addend, static_cast<char*>(chunk.get()));
    }
    if (outcome.done()) outcome = use(chunk.get(), now);
    if (!outcome.done()) return outcome;
    rows -= now;
  }
  return Done();
}

}  // namespace posenc::cli
