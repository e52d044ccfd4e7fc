// Room heap: what the library allocates. A size goes in; memory comes out, or the answer that there is none, which is a
// value here as it is in the API.

#ifndef POSENC_SRC_HEAP_H_
#define POSENC_SRC_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "posenc/posenc.h"

namespace posenc {

// count elements, default-initialised. Null: there is no memory for them.
template <class T>
std::unique_ptr<T[]> MakeArray(std::size_t count) noexcept {
  if (count > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) return nullptr;
  return std::unique_ptr<T[]>(new (std::nothrow) T[count]);
}

// Gives std::allocate_shared memory that is there already, kBytes of it: an allocator cannot say that there is none.
template <class T, std::size_t kBytes>
class Reserved {
 public:
  using value_type = T;
  template <class U>
  struct rebind {
    using other = Reserved<U, kBytes>;
  };

  explicit Reserved(void* memory) noexcept : memory_(memory) {}
  template <class U>
  Reserved(const Reserved<U, kBytes>& other) noexcept : memory_(other.memory()) {}  // NOLINT: allocators convert

  // Of the one object that holds the counts of owners and what they own.
  T* allocate(std::size_t) noexcept {
    static_assert(sizeof(T) <= kBytes && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    return static_cast<T*>(memory_);
  }
  void deallocate(T*, std::size_t) noexcept { ::operator delete(memory_); }

  void* memory() const noexcept { return memory_; }
  template <class U>
  bool operator==(const Reserved<U, kBytes>& other) const noexcept {
    return memory_ == other.memory();
  }

 private:
  void* memory_;
};

// A T and the counts of its owners in one allocation. Null: there is no memory for them.
template <class T>
std::shared_ptr<T> MakeShared() noexcept {
  constexpr std::size_t kBytes = sizeof(T) + 64;  // besides the T: a table of functions, two counts, the allocator
  void* const memory = ::operator new(kBytes, std::nothrow);
  if (memory == nullptr) return nullptr;
  return std::allocate_shared<T>(Reserved<T, kBytes>(memory));
}

// A std::vector says by an exception alone that there is no memory. These two catch it, in the one file of the library
// that is compiled with exceptions; where none is, a program without memory ends.

// Makes list `size` elements long, new ones 0. False: there is no memory, and list is as it was.
bool Resize(std::vector<double>& list, std::size_t size) noexcept;

// to = from. False: there is no memory, and to holds anything.
bool Copy(const Spec& from, Spec& to) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_HEAP_H_
