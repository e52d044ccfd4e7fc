// Bench, memory: a size goes in, pages in a known state come out.
//
// The first touch of a page is a fault that takes longer than writing the page ten times, so warm and fresh pages are
// never mixed in a figure. Warm pages have been written, to a non-zero value: pages that were only read, or a kernel
// that merges zero pages, could still fault at the first write.
// The alignment is 2 MiB, not because the library needs it but so that every run and every peer sees the same: the same
// position in cache sets, and the same chance of huge pages.

#ifndef POSENC_BENCH_MEMORY_H_
#define POSENC_BENCH_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace posenc_bench {

enum class PageState { kWarm, kFresh };

// Memory of its own, aligned to 2 MiB. data() is null when the system has not got it.
class TableMemory {
 public:
  TableMemory(std::size_t bytes, PageState state);
  ~TableMemory();
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  PageState state() const noexcept { return state_; }

  // Fresh: gives the pages back, so that the next write to each of them faults again. Warm: nothing.
  void Renew() noexcept;

 private:
  std::size_t bytes_ = 0;
  PageState state_;
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  void* data_ = nullptr;
};

// Warm memory of at least `bytes`, which all benchmarks share: touching 256 MiB takes longer than measuring them. More
// than that is given back by the next smaller table. There are two: one that is written, and one that is read. Null
// when the machine has not got it to spare.
enum class MemoryUse { kOut, kX };
TableMemory* WarmMemory(MemoryUse use, std::size_t bytes);

// Asks for huge pages in all memory made from now on. The default is what callers of malloc get.
void UseHugePages();

// One phrase: which pages the memory is made of, for the record beside the figures.
std::string PageDescription();

// Minor page faults of this process so far.
std::int64_t PageFaults() noexcept;

// Bytes of memory that nobody uses at present.
std::size_t FreeMemoryBytes() noexcept;

}  // namespace posenc_bench

#endif  // POSENC_BENCH_MEMORY_H_
