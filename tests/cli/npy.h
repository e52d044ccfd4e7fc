// .npy files of the tests: bytes go in, header and items come out, or the other way round, by the format's definition.

#ifndef POSENC_TESTS_CLI_NPY_H_
#define POSENC_TESTS_CLI_NPY_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace posenc::cli_test {

struct Npy {
  std::string header;  // the Python text, without its padding
  std::string data;
};

// Splits a .npy of format 1.0 and checks all that does not depend on the array.
Npy ParseNpy(const std::string& bytes);

// The text of a header in C order, without padding. shape is what stands between the parentheses.
std::string HeaderText(const std::string& descr, const std::string& shape);
std::string ShapeText(const std::vector<std::size_t>& shape);

// A .npy with this text, whatever it is, behind the length field of the format. Without padding.
std::string NpyOf(const std::string& text, const std::string& data, char major = 1, char minor = 0);

template <class T>
std::string BytesOf(const std::vector<T>& items) {
  return std::string(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
}

template <class T>
std::vector<T> ItemsOf(const std::string& data) {
  EXPECT_EQ(0u, data.size() % sizeof(T));
  std::vector<T> items(data.size() / sizeof(T));
  // Nothing may be copied from or to an empty array.
  if (!items.empty()) std::memcpy(items.data(), data.data(), items.size() * sizeof(T));
  return items;
}

// A .npy of these items.
template <class T>
std::string NpyOf(const std::string& descr, const std::vector<std::size_t>& shape, const std::vector<T>& items) {
  return NpyOf(HeaderText(descr, ShapeText(shape)) + "\n", BytesOf(items));
}

// The value of the bits of an IEEE binary16, and of a bfloat16.
double HalfValue(std::uint16_t bits);
double BFloat16Value(std::uint16_t bits);

}  // namespace posenc::cli_test

#endif  // POSENC_TESTS_CLI_NPY_H_
