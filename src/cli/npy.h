// The .npy format of NumPy: the type and shape of an array go in, the bytes before its data come out.
//
// Format 1.0: numpy.lib.format in NumPy's documentation, also NEP 1.

#ifndef POSENC_SRC_CLI_NPY_H_
#define POSENC_SRC_CLI_NPY_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace posenc::cli {

// The data of a file begins at a multiple of this many bytes, so that a mapped file is aligned for any vector.
inline constexpr std::size_t kNpyAlignment = 64;

// The byte order of this machine, as headers have it.
inline constexpr char kNpyByteOrder = std::endian::native == std::endian::little ? '<' : '>';

// The header of a C order array in the byte order of this machine; kind is such as "f4". Format 1.0 ends at 65535
// bytes of header, which 3000 dimensions do not fill.
std::string NpyHeader(std::string_view kind, std::span<const std::uint64_t> shape);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_NPY_H_
