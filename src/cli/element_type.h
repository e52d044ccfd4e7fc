// Element types of a table: the name given to --dtype or the type of a .npy goes in, what is written and how comes out.
// A new type is one entry of the table in element_type.cc.

#ifndef POSENC_SRC_CLI_ELEMENT_TYPE_H_
#define POSENC_SRC_CLI_ELEMENT_TYPE_H_

#include <cstddef>
#include <string>

#include "posenc/posenc.h"
#include "src/cli/outcome.h"
#include "src/cli/position_source.h"

namespace posenc::cli {

struct ElementType {
  const char* name;      // as --dtype has it
  const char* npy_kind;  // as the descr of a .npy has it, without the byte order
  std::size_t size;      // bytes
  // Writes a row for each position, without gaps, to data, which is aligned for the type.
  Error (*encode)(const Encoder& encoder, const PositionBlock& positions, void* data);
  // Writes x_scale * x + PE over the rows x at data. Null: no .npy says that it holds this type.
  Error (*encode_add)(const Encoder& encoder, const PositionBlock& positions, double x_scale, void* data);
};

// The type of that name, or the sentence that lists the names.
Outcome FindElementType(const std::string& name, const ElementType** type);

// The names, as a sentence lists them.
std::string ElementTypeNames();

// The type of a .npy to which encodings can be added, by its npy_kind, or null.
const ElementType* FindAddable(const std::string& npy_kind) noexcept;

// The descr of these types, as a sentence lists them.
std::string AddableDescrs();

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_ELEMENT_TYPE_H_
