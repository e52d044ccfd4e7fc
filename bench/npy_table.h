// Bench, demo: the path of a .npy file goes in, the float table in it comes out.

#ifndef POSENC_BENCH_NPY_TABLE_H_
#define POSENC_BENCH_NPY_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace posenc_bench {

// values[r * dim + c]. A broken file gives an error and no rows.
struct NpyTable {
  std::vector<float> values;
  std::size_t rows = 0;
  std::size_t dim = 0;
  std::string error;
};

// Reads a two-dimensional array of little-endian float32 in C order, versions 1 to 3 of the format.
NpyTable ReadNpyTable(const std::string& path);

}  // namespace posenc_bench

#endif  // POSENC_BENCH_NPY_TABLE_H_
