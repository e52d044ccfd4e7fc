// A shared object that links the archive of posenc: a position goes in, the first sine of its row comes out. What it
// exports is this one function, and nothing of posenc.

#include <cstdint>

#include "posenc/posenc.h"

extern "C" __attribute__((visibility("default"))) float plugin_first_sine(std::int64_t position) {
  const posenc::Result<posenc::Encoder> made = posenc::Encoder::Make({.dim = 2});
  float row[2] = {};
  if (!made || made.value.EncodeRange(position, posenc::Rows<float>{.data = row, .count = 1}) != posenc::Error::kNone) {
    return 2.0f;
  }
  return row[0];
}
