// Arrays of .npy files: an open file goes in, what its header says comes out, and the file stands at its data.

#include "src/cli/npy_input.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace posenc::cli {

Outcome ReadNpyHeader(InputFile* file, std::string_view numbers, NpyArray* array, std::uint64_t* data_offset) {
  std::string header;
  NpyParsed parsed = ParseNpyHeader(header, numbers);
  while (parsed.broken_rule.empty() && parsed.header_bytes > header.size()) {
    const std::size_t had = header.size();
    header.resize(parsed.header_bytes);
    std::size_t got = 0;
    Outcome outcome = file->Read(header.data() + had, header.size() - had, &got);
    if (!outcome.done()) return outcome;
    const bool is_short = had + got < header.size();
    header.resize(had + got);
    parsed = ParseNpyHeader(header, numbers);
    if (is_short && parsed.broken_rule.empty()) {
      return Failure(file->named() + " must be a .npy file, and ends inside its header");
    }
  }
  if (!parsed.broken_rule.empty()) return Failure(file->named() + " " + parsed.broken_rule);
  const std::uint64_t announced = parsed.array.data_bytes();
  if (file->size() && *file->size() != parsed.header_bytes + announced) {
    const std::uint64_t held = std::max<std::uint64_t>(*file->size(), parsed.header_bytes) - parsed.header_bytes;
    return Failure(file->named() + " must hold the " + std::to_string(announced) +
                   " bytes of data that its header announces, and holds " + std::to_string(held));
  }
  *array = std::move(parsed.array);
  *data_offset = parsed.header_bytes;
  return Done();
}

}  // namespace posenc::cli
