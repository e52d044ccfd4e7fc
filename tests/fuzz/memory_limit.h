// Fuzz room: a number of bytes goes in, and allocations of C++ beyond it fail as on a machine that has no more.

#ifndef POSENC_TESTS_FUZZ_MEMORY_LIMIT_H_
#define POSENC_TESTS_FUZZ_MEMORY_LIMIT_H_

#include <cstddef>

namespace posenc::fuzz {

// From now on operator new gives at most so many bytes at a time; SIZE_MAX is no limit. For one thread.
void LimitMemory(std::size_t bytes) noexcept;

}  // namespace posenc::fuzz

#endif  // POSENC_TESTS_FUZZ_MEMORY_LIMIT_H_
