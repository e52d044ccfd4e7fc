// Room heap: a std::vector to grow goes in; it comes out grown, or the answer that there is no memory.

#include "src/heap.h"

#include <cstddef>
#include <vector>

#include "posenc/posenc.h"

namespace posenc {
namespace {

// Whether grow() found the memory.
template <class Grow>
bool Grown(const Grow& grow) noexcept {
#if defined(__cpp_exceptions)
  try {
    grow();
  } catch (...) {
    return false;
  }
#else
  grow();
#endif
  return true;
}

}  // namespace

bool Resize(std::vector<double>& list, std::size_t size) noexcept {
  return Grown([&] { list.resize(size); });
}

bool Copy(const Spec& from, Spec& to) noexcept {
  return Grown([&] { to = from; });
}

}  // namespace posenc
