// Bench, memory: a size goes in, pages in a known state come out.

#include "bench/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>

namespace posenc_bench {
namespace {

constexpr std::size_t kAlignment = std::size_t{2} << 20;

bool huge_pages = false;

}  // namespace

TableMemory::TableMemory(std::size_t bytes, PageState state) : bytes_(bytes), state_(state) {
  mapping_bytes_ = bytes + 2 * kAlignment;
  void* mapping = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return;
  mapping_ = mapping;
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  data_ = reinterpret_cast<void*>((address + kAlignment - 1) & ~(kAlignment - 1));
#ifdef MADV_HUGEPAGE
  if (huge_pages) madvise(mapping_, mapping_bytes_, MADV_HUGEPAGE);
#endif
  if (state == PageState::kWarm) std::memset(data_, 0x3f, bytes);
}

TableMemory::~TableMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

void TableMemory::Renew() noexcept {
  if (state_ == PageState::kFresh) madvise(data_, bytes_, MADV_DONTNEED);
}

TableMemory* WarmMemory(MemoryUse use, std::size_t bytes) {
  // Cases that are not aligned reach a little further.
  constexpr std::size_t kKeptBytes = (std::size_t{256} << 20) + (std::size_t{64} << 10);
  static std::unique_ptr<TableMemory> memories[2];
  std::unique_ptr<TableMemory>& memory = memories[use == MemoryUse::kOut ? 0 : 1];
  const bool fits = memory != nullptr && memory->bytes() >= bytes;
  if (!fits || (memory->bytes() > kKeptBytes && bytes <= kKeptBytes)) {
    memory.reset();
    constexpr std::size_t kReserveBytes = std::size_t{1} << 30;
    if (bytes > kKeptBytes && FreeMemoryBytes() < bytes + kReserveBytes) return nullptr;
    memory = std::make_unique<TableMemory>(std::max(bytes, kKeptBytes), PageState::kWarm);
    if (memory->data() == nullptr) memory.reset();
  }
  return memory.get();
}

void UseHugePages() { huge_pages = true; }

std::string PageDescription() {
  std::string policy;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  while (file >> policy && policy.front() != '[') {
  }
  std::string text = std::to_string(sysconf(_SC_PAGESIZE) / 1024) + " KiB pages, transparent huge pages ";
  text += !file ? "unknown" : policy.substr(1, policy.size() - 2);
  return text + (huge_pages ? " and asked for" : " and not asked for");
}

std::int64_t PageFaults() noexcept {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

std::size_t FreeMemoryBytes() noexcept {
#ifdef _SC_AVPHYS_PAGES
  return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#else
  return 0;
#endif
}

}  // namespace posenc_bench
