// Element types of a table: the name given to --dtype goes in, what is written and how comes out. A new type is one
// entry of the table in element_type.cc.

#ifndef POSENC_SRC_CLI_ELEMENT_TYPE_H_
#define POSENC_SRC_CLI_ELEMENT_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "posenc/posenc.h"
#include "src/cli/outcome.h"

namespace posenc::cli {

struct ElementType {
  const char* name;      // as --dtype has it
  const char* npy_kind;  // as the descr of a .npy has it, without the byte order
  std::size_t size;      // bytes
  // Writes count rows without gaps to data, which is aligned for the type. Row r is at position start + r * step.
  Error (*encode_range)(const Encoder& encoder, std::int64_t start, std::int64_t step, std::size_t count, void* data);
};

// The type of that name, or the sentence that lists the names.
Outcome FindElementType(const std::string& name, const ElementType** type);

// The names, as a sentence lists them.
std::string ElementTypeNames();

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_ELEMENT_TYPE_H_
