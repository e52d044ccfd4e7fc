// Fuzz room: the limit of memory, in place of the operators of the standard library. A file of its own, for compilers
// that see through an operator new take its malloc for a mistake.

#include "tests/fuzz/memory_limit.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace posenc::fuzz {
namespace {

std::size_t memory_left = SIZE_MAX;

}  // namespace

void LimitMemory(std::size_t bytes) noexcept { memory_left = bytes; }

}  // namespace posenc::fuzz

// All forms are replaced: those of the sanitizers would not come here.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  using posenc::fuzz::memory_left;
  if (size > memory_left) return nullptr;
  void* const block = std::malloc(std::max<std::size_t>(size, 1));
  if (block != nullptr && memory_left != SIZE_MAX) memory_left -= std::min<std::size_t>(size, memory_left);
  return block;
}

void* operator new(std::size_t size) {
  void* const block = operator new(size, std::nothrow);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }

// What was allocated before the run and is freed in it adds to the limit, which does no harm.
void operator delete(void* block) noexcept {
  using posenc::fuzz::memory_left;
  if (memory_left != SIZE_MAX) memory_left += malloc_usable_size(block);
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { operator delete(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { operator delete(block); }
