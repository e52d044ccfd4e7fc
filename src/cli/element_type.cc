// Element types of a table: the name given to --dtype or the type of a .npy goes in, what is written and how comes out.

#include "src/cli/element_type.h"

#include <type_traits>
#include <variant>
#include <vector>

#include "src/cli/npy.h"
#include "src/cli/numbers.h"

namespace posenc::cli {
namespace {

// The range, or a span of positions.
template <class Positions>
constexpr bool kIsRange = std::is_same_v<Positions, PositionRange>;

template <class T>
Error Encode(const Encoder& encoder, const PositionBlock& block, void* data) {
  const Rows<T> out{.data = static_cast<T*>(data), .count = RowsOf(block)};
  return std::visit(
      [&]<class Positions>(const Positions& positions) {
        if constexpr (kIsRange<Positions>) {
          return encoder.EncodeRange(positions.start, out, positions.step);
        } else {
          return encoder.Encode(positions, out);
        }
      },
      block);
}

template <class T>
Error EncodeAdd(const Encoder& encoder, const PositionBlock& block, double x_scale, void* data) {
  const Rows<T> out{.data = static_cast<T*>(data), .count = RowsOf(block)};
  const Rows<const T> x{.data = out.data, .count = out.count};
  return std::visit(
      [&]<class Positions>(const Positions& positions) {
        if constexpr (kIsRange<Positions>) {
          return encoder.EncodeAddRange(positions.start, x_scale, x, out, positions.step);
        } else {
          return encoder.EncodeAdd(positions, x_scale, x, out);
        }
      },
      block);
}

// NumPy has no bfloat16: its bits are an unsigned integer there.
constexpr ElementType kElementTypes[] = {
    {"f32", "f4", sizeof(float), Encode<float>, EncodeAdd<float>},
    {"f64", "f8", sizeof(double), Encode<double>, EncodeAdd<double>},
    {"f16", "f2", sizeof(Half), Encode<Half>, EncodeAdd<Half>},
    {"bf16", "u2", sizeof(BFloat16), Encode<BFloat16>, nullptr},
};

// Words as a sentence lists them: a, b or c.
std::string ListOf(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i];
  }
  return list;
}

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
  std::vector<std::string> names;
  for (const ElementType& type : kElementTypes) names.push_back(type.name);
  return ListOf(names);
}

const ElementType* FindAddable(const std::string& npy_kind) noexcept {
  for (const ElementType& type : kElementTypes) {
    if (type.encode_add != nullptr && npy_kind == type.npy_kind) return &type;
  }
  return nullptr;
}

std::string AddableDescrs() {
  std::vector<std::string> descrs;
  for (const ElementType& type : kElementTypes) {
    if (type.encode_add != nullptr) descrs.push_back(std::string(1, kNpyByteOrder) + type.npy_kind);
  }
  return ListOf(descrs);
}

}  // namespace posenc::cli
