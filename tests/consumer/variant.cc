// A program of a user who compiles in a way of his own: without exceptions, for another standard, with the linker
// optimising. The sines and cosines of one position go in; the exit code is 0 if every bit is the one that it has to
// be.

#include <cstdint>
#include <cstring>

#include "posenc/c_api.h"
#include "posenc/posenc.h"
#include "posenc/presets.h"

namespace {

// sin and cos of 131071 and of 131071 / 10000^(1/64), each rounded once to float.
constexpr std::uint32_t kWant[4] = {0xBF13430A, 0xBF51675E, 0xBE544E80, 0xBF7A6FF6};
constexpr std::int64_t kPosition = 131071;
constexpr std::size_t kDim = 128;

bool IsRight(const float* row) { return std::memcmp(row, kWant, sizeof(kWant)) == 0; }

}  // namespace

int main() {
  float row[kDim] = {};
  const posenc::Result<posenc::Encoder> made = posenc::Encoder::Make(posenc::presets::Paper(kDim).spec);
  if (!made) return 1;
  if (made.value.EncodeRange(kPosition, posenc::Rows<float>{row, 1}) != posenc::Error::kNone || !IsRight(row)) return 2;

  std::memset(row, 0, sizeof(row));
  const posenc_spec spec = posenc_default_spec(kDim);
  posenc_encoder* encoder = nullptr;
  if (posenc_make(&spec, &encoder) != 0) return 3;
  const int code = posenc_encode_range(encoder, kPosition, 1, 1, POSENC_F32, row, 0);
  posenc_free(encoder);
  return code == 0 && IsRight(row) ? 0 : 4;
}
