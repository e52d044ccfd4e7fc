// Bench, demo: the path of a .npy file goes in, the float table in it comes out.

#include "bench/npy_table.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

namespace posenc_bench {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian and is read as it is");

NpyTable Broken(const std::string& path, const std::string& what) {
  NpyTable table;
  table.error = path + ": " + what;
  return table;
}

// Whether text begins as "'shape': (ROWS, DIM)" does.
bool ReadShape(std::string_view text, std::uint64_t* rows, std::uint64_t* dim) {
  constexpr std::string_view kBegin = "'shape': (", kBetween = ", ";
  if (!text.starts_with(kBegin)) return false;
  text.remove_prefix(kBegin.size());
  const char* const end = text.data() + text.size();
  const auto [rows_end, rows_error] = std::from_chars(text.data(), end, *rows);
  if (rows_error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(rows_end - text.data()));
  if (!text.starts_with(kBetween)) return false;
  const auto [dim_end, dim_error] = std::from_chars(text.data() + kBetween.size(), end, *dim);
  return dim_error == std::errc() && dim_end != end && *dim_end == ')';
}

}  // namespace

NpyTable ReadNpyTable(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return Broken(path, "cannot be opened");
  const auto file_bytes = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);

  // Magic, two version bytes, the length of the header (2 bytes in version 1, 4 later), the header, the values.
  unsigned char lead[12] = {};
  file.read(reinterpret_cast<char*>(lead), 10);
  if (!file || std::string(lead, lead + 6) != "\x93NUMPY" || lead[6] < 1 || lead[6] > 3) {
    return Broken(path, "is not a .npy file");
  }
  std::uint64_t header_bytes = lead[8] | static_cast<std::uint64_t>(lead[9]) << 8;
  std::uint64_t header_begin = 10;
  if (lead[6] > 1) {
    file.read(reinterpret_cast<char*>(lead) + 10, 2);
    header_bytes |= static_cast<std::uint64_t>(lead[10]) << 16 | static_cast<std::uint64_t>(lead[11]) << 24;
    header_begin = 12;
  }
  if (!file || header_begin + header_bytes > file_bytes) return Broken(path, "has a truncated header");
  std::string header(header_bytes, ' ');
  file.read(header.data(), static_cast<std::streamsize>(header_bytes));

  std::uint64_t rows = 0;
  std::uint64_t dim = 0;
  const std::size_t shape = header.find("'shape':");
  if (header.find("'descr': '<f4'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos || shape == std::string::npos ||
      !ReadShape(std::string_view(header).substr(shape), &rows, &dim)) {
    return Broken(path, "does not hold rows of float32 in C order");
  }
  const std::uint64_t value_bytes = file_bytes - header_begin - header_bytes;
  if (rows == 0 || dim == 0 || dim > value_bytes || value_bytes % (dim * sizeof(float)) != 0 ||
      value_bytes / (dim * sizeof(float)) != rows) {
    return Broken(path, "holds other values than its shape says");
  }

  NpyTable table;
  table.rows = rows;
  table.dim = dim;
  table.values.resize(rows * dim);
  file.read(reinterpret_cast<char*>(table.values.data()), static_cast<std::streamsize>(value_bytes));
  if (!file) return Broken(path, "cannot be read to its end");
  return table;
}

}  // namespace posenc_bench
