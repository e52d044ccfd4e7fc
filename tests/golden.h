// Test room golden: 20 configurations and the hashes that their tables have in every type, on every CPU, with every
// compiler and in every release. A change of one of them is a change of the contract.

#ifndef POSENC_TESTS_GOLDEN_H_
#define POSENC_TESTS_GOLDEN_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rounding.h"

namespace posenc::test {

struct Golden {
  Spec spec;
  std::int64_t start;
  std::int64_t step;
  std::size_t count;
  std::array<std::uint64_t, 4> hashes;  // float, double, Half, BFloat16

  template <class T>
  std::uint64_t hash() const {
    constexpr std::size_t kIndex = sizeof(T) == 8 ? 1 : sizeof(T) == 4 ? 0 : Format<T>::kPrecision == 11 ? 2 : 3;
    return hashes[kIndex];
  }
};

std::vector<Golden> GoldenTables();

// FNV-1a with 64 bits over the bytes of the bits of the elements, the low byte first.
template <class T>
std::uint64_t Hash(std::span<const T> elements) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const T element : elements) {
    const std::uint64_t bits = ToBits(element);
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      hash = (hash ^ (bits >> (8 * byte) & 0xFF)) * 0x100000001B3;
    }
  }
  return hash;
}

}  // namespace posenc::test

#endif  // POSENC_TESTS_GOLDEN_H_
