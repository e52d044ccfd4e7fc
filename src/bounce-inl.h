// Room store: rows that a writer has put into a buffer go in; they leave past the caches, to rows that are not aligned
// for that. Per target.

#if defined(POSENC_SRC_BOUNCE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_BOUNCE_INL_H_TOGGLE
#undef POSENC_SRC_BOUNCE_INL_H_TOGGLE
#else
#define POSENC_SRC_BOUNCE_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/grid.h"
#include "src/lanes-inl.h"
#include "src/store.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Some frequencies of the rows of an output, by way of a buffer. Stored where they belong through the caches, such rows
// take 3 times as long from memory, for every line is read first.
class Bounce {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{32} << 10;
  static constexpr std::size_t kMaxRows = 64;

  // Frequencies begin .. below end. Not for output that adds to parts of rows with runs.
  HWY_NOINLINE Bounce(const FrequencyGrid& grid, const Output& output, std::size_t begin, std::size_t end)
      : output_(output), element_bytes_(ElementBytes(output.type)) {
    const RowPlaces places = PlacesOf(grid, output);
    const std::size_t dim = grid.shape.sines + grid.shape.cosines + (grid.shape.zero_last ? 1 : 0);
    const bool all = begin == 0 && end >= grid.shape.sines && output.second == nullptr;
    if (all && dim * element_bytes_ * kBlockRows <= kBufferBytes) {
      runs_[0] = {output.data, output.row_bytes, dim * element_bytes_, 0};
    } else if (places.step == 2) {
      const std::size_t elements = std::min(2 * end, grid.shape.sines + grid.shape.cosines) - 2 * begin;
      runs_[0] = {Shifted(output.data, 2 * begin), output.row_bytes, elements * element_bytes_, 2 * begin};
    } else {
      const std::size_t firsts = grid.cos_first ? grid.shape.cosines : grid.shape.sines;
      const std::size_t seconds = grid.cos_first ? grid.shape.sines : grid.shape.cosines;
      const bool planes = output.second != nullptr;
      runs_[0] = {Shifted(output.data, places.first + begin), output.row_bytes,
                  (std::max(begin, std::min(end, firsts)) - begin) * element_bytes_, begin};
      runs_[1] = {Shifted(planes ? output.second : output.data, places.second + begin),
                  planes ? output.second_row_bytes : output.row_bytes,
                  (std::max(begin, std::min(end, seconds)) - begin) * element_bytes_, begin};
      is_in_runs_ = true;
    }
    while (2 * rows_ <= kMaxRows && 2 * rows_ * (runs_[0].bytes + runs_[1].bytes) <= kBufferBytes) rows_ *= 2;
  }

  // Rows that fit into the buffer: a power of two of blocks.
  std::size_t rows() const { return rows_; }

  // The output to write the rows from `row` on to, with the same numbers, for rows that go to the buffer.
  HWY_NOINLINE Output To(std::byte* buffer, std::size_t row) const {
    Output to = output_;
    to.bounce = false;
    to.data = FirstRow(buffer, runs_[0], row);
    to.row_bytes = static_cast<std::ptrdiff_t>(runs_[0].bytes);
    if (is_in_runs_) {
      to.second = FirstRow(SecondIn(buffer), runs_[1], row);
      to.second_row_bytes = static_cast<std::ptrdiff_t>(runs_[1].bytes);
    }
    return to;
  }

  // Fetches the lines at the ends of rows, of which CopyOut writes a part: it would wait for them, and the streams
  // behind it too.
  HWY_NOINLINE void Prefetch(std::size_t row, std::size_t count) const {
    for (std::size_t i = row; i < row + count; ++i) {
      for (const Run& run : runs_) {
        if (run.bytes == 0) continue;
        const std::uint8_t* const to = RowOf(run, i);
        hwy::Prefetch(to);
        hwy::Prefetch(to + run.bytes - 1);
      }
    }
  }

  HWY_NOINLINE void CopyOut(const std::byte* buffer, std::size_t row, std::size_t count) const {
    const std::uint8_t* from = reinterpret_cast<const std::uint8_t*>(buffer);
    CopyRun(runs_[0], from, row, count);
    if (is_in_runs_) CopyRun(runs_[1], from + rows_ * runs_[0].bytes, row, count);
  }

 private:
  // Consecutive elements of each row; they stand `elements` from the start of what a writer takes for a row.
  struct Run {
    void* data = nullptr;  // in row 0
    std::ptrdiff_t row_bytes = 0;
    std::size_t bytes = 0;
    std::size_t elements = 0;
  };

  void* Shifted(void* data, std::size_t elements) const {
    return static_cast<std::byte*>(data) + elements * element_bytes_;
  }

  static std::uint8_t* RowOf(const Run& run, std::size_t row) {
    return static_cast<std::uint8_t*>(run.data) + static_cast<std::ptrdiff_t>(row) * run.row_bytes;
  }

  std::byte* SecondIn(std::byte* buffer) const { return buffer + rows_ * runs_[0].bytes; }

  // Where row 0 would be if `row` is the first of the buffer: an integer, for there is nothing.
  void* FirstRow(std::byte* buffer, const Run& run, std::size_t row) const {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer) - row * run.bytes -
                                   run.elements * element_bytes_);
  }

  static void CopyRun(const Run& run, const std::uint8_t* from, std::size_t row, std::size_t count) {
    if (run.row_bytes == static_cast<std::ptrdiff_t>(run.bytes))
      return Stream(RowOf(run, row), from, run.bytes * count);
    for (std::size_t i = 0; i < count; ++i) Stream(RowOf(run, row + i), from + i * run.bytes, run.bytes);
  }

  // Copies past the caches, but for the lines at both ends that are not whole.
  static HWY_NOINLINE void Stream(std::uint8_t* to, const std::uint8_t* from, std::size_t left) {
    const hn::ScalableTag<std::uint8_t> bytes;
    constexpr std::size_t kLine = 64;
    const std::size_t head = std::min(left, (0 - reinterpret_cast<std::uintptr_t>(to)) % kLine);
    std::memcpy(to, from, head);
    to += head;
    from += head;
    left -= head;
    for (; left >= kLine; left -= kLine) {
      for (std::size_t i = 0; i < kLine; i += hn::Lanes(bytes)) hn::Stream(hn::LoadU(bytes, from + i), bytes, to + i);
      to += kLine;
      from += kLine;
    }
    std::memcpy(to, from, left);
  }

  const Output output_;
  const std::size_t element_bytes_;
  Run runs_[2];
  bool is_in_runs_ = false;
  std::size_t rows_ = kBlockRows;
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_BOUNCE_INL_H_TOGGLE
