// Element types of a table: the name given to --dtype goes in, what is written and how comes out.

#include "src/cli/element_type.h"

#include "src/cli/numbers.h"

namespace posenc::cli {
namespace {

template <class T>
Error EncodeRange(const Encoder& encoder, std::int64_t start, std::int64_t step, std::size_t count, void* data) {
  return encoder.EncodeRange(start, Rows<T>{.data = static_cast<T*>(data), .count = count}, step);
}

constexpr ElementType kElementTypes[] = {
    {"f32", "f4", sizeof(float), EncodeRange<float>},
};

}  // namespace

Outcome FindElementType(const std::string& name, const ElementType** type) {
  for (const ElementType& candidate : kElementTypes) {
    if (name == candidate.name) {
      *type = &candidate;
      return Done();
    }
  }
  return BadCommandLine("--dtype must be " + ElementTypeNames() + ", not " + Quoted(name));
}

std::string ElementTypeNames() {
  std::string names;
  for (const ElementType& type : kElementTypes) {
    if (!names.empty()) names += &type == std::end(kElementTypes) - 1 ? " or " : ", ";
    names += type.name;
  }
  return names;
}

}  // namespace posenc::cli
