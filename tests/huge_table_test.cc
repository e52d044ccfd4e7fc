// Test of a table of more than 2^32 bytes and 2^31 elements from one call: the bits are those of the same rows written
// in pieces, from the first one to the last.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rows.h"
#include "tests/specs.h"

namespace posenc::test {
namespace {

constexpr std::size_t kDim = 512;
constexpr std::size_t kCount = (std::size_t{1} << 31) / kDim + 37;
constexpr std::int64_t kStart = -1000;
constexpr std::size_t kPiece = 1001;

// Pages that the test does not hold twice: the table alone, and nothing where the machine has no room for it.
class HugeTable {
 public:
  static constexpr std::size_t kBytes = kCount * kDim * sizeof(BFloat16);

  HugeTable() {
    if (AvailableBytes() < kBytes + (std::size_t{1} << 30)) return;
    void* const memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) data_ = static_cast<BFloat16*>(memory);
  }
  HugeTable(const HugeTable&) = delete;
  HugeTable& operator=(const HugeTable&) = delete;
  ~HugeTable() {
    if (data_ != nullptr) munmap(data_, kBytes);
  }

  BFloat16* data() { return data_; }

 private:
  // What Linux says it can give without swapping; 0 elsewhere.
  static std::size_t AvailableBytes() {
    std::ifstream information("/proc/meminfo");
    for (std::string name; information >> name;) {
      std::size_t kib = 0;
      if (name == "MemAvailable:" && information >> kib) return kib * 1024;
    }
    return 0;
  }

  BFloat16* data_ = nullptr;
};

TEST(HugeTable, HasTheBitsOfItsPieces) {
  HugeTable table;
  if (table.data() == nullptr) GTEST_SKIP() << "less than 5 GiB of memory can be had";
  const Encoder encoder = MakeOrFail(SpecOf(kDim));
  const Rows<BFloat16> rows{table.data(), kCount, 0};
  const Rows<const BFloat16> x{table.data(), kCount, 0};
  std::vector<BFloat16> piece(kPiece * kDim);

  // The table, and then 2 * the table + the table, in its place.
  for (const bool add : {false, true}) {
    ASSERT_EQ(add ? encoder.EncodeAddRange(kStart, 2.0, x, rows) : encoder.EncodeRange(kStart, rows), Error::kNone);
    for (std::size_t r = 0; r < kCount; r += kPiece) {
      const std::size_t count = std::min(kPiece, kCount - r);
      const std::int64_t start = kStart + static_cast<std::int64_t>(r);
      const Rows<BFloat16> some{piece.data(), count, 0};
      ASSERT_EQ(encoder.EncodeRange(start, some), Error::kNone);
      if (add) {
        const Rows<const BFloat16> x_of_some{piece.data(), count, 0};
        ASSERT_EQ(encoder.EncodeAddRange(start, 2.0, x_of_some, some), Error::kNone);
      }
      ASSERT_EQ(std::memcmp(piece.data(), table.data() + r * kDim, count * kDim * sizeof(BFloat16)), 0)
          << "rows " << r << " to " << r + count << (add ? " of the sum" : "");
    }
  }
}

}  // namespace
}  // namespace posenc::test
