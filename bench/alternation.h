// Bench, alternation: a table and a function that writes it go in, rounds of times beside the fill and the libm loop
// come out. The one way in which posenc, its peers and the demo are measured.

#ifndef POSENC_BENCH_ALTERNATION_H_
#define POSENC_BENCH_ALTERNATION_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "bench/memory.h"
#include "bench/peers.h"
#include "posenc/posenc.h"

namespace posenc_bench {

// What one pass writes: `rows` rows of a spec from one of the starts, in turn. The number of starts is a power of two.
struct Table {
  posenc::Spec spec;
  std::size_t rows = 0;
  std::vector<std::int64_t> starts = {0};

  std::size_t Elements() const { return rows * spec.dim; }
  std::size_t Bytes() const { return Elements() * sizeof(float); }
};

// Writer is called as writer(start) and writes the table to memory.data().
template <class Writer>
class Alternation {
 public:
  // Finds how many passes make a sample, which also warms caches and the dispatch of the first call up.
  // Appends to rounds; loop is the one of the C library to compare with. All arguments outlive this object.
  Alternation(const Table& table, TableMemory& memory, Writer writer, Rounds& rounds, Loop loop = LibmHoisted)
      : table_(table),
        memory_(memory),
        writer_(std::move(writer)),
        rounds_(rounds),
        loop_(loop),
        frequencies_(table.spec) {
    // The loop takes ten times as long as posenc: slices of the table are enough. They walk through all of it, because
    // sinf and cosf are slower for larger angles. They have memory of their own, to leave the caches and the page state
    // of the table alone.
    constexpr std::size_t kSliceElements = 4096;
    slice_rows_ = std::min(table.rows, std::max<std::size_t>(1, kSliceElements / table.spec.dim));
    slice_.resize(slice_rows_ * table.spec.dim);
    slice_passes_ = PassesPerSample([this] { LibmPass(); });
    if (memory.state() == PageState::kWarm) {
      passes_ = PassesPerSample([this] { SubjectPass(); });
      fill_passes_ = PassesPerSample([this] { FillPass(); });
    }
  }

  // How often RunSubject calls the writer.
  std::size_t passes() const { return passes_; }

  // Page faults in the last RunSubject.
  long page_faults() const { return page_faults_; }

  // The two halves of a round, in this order. They are apart so that a caller's own timer can run in the first only.
  void RunSubject() {
    const long faults = PageFaults();
    rounds_.subject.push_back(SecondsPerPass([this] { SubjectPass(); }, passes_));
    page_faults_ = PageFaults() - faults;
  }

  void RunBaselines() {
    memory_.Renew();
    rounds_.fill.push_back(SecondsPerPass([this] { FillPass(); }, fill_passes_));
    memory_.Renew();
    const double slice_seconds = SecondsPerPass([this] { LibmPass(); }, slice_passes_);
    rounds_.libm.push_back(slice_seconds * static_cast<double>(table_.rows) / static_cast<double>(slice_rows_));
    rounds_.clock_hz.push_back(CoreClockHz());
  }

  void SubjectPass() {
    writer_(NextStart(next_start_));
    Observe(memory_.data());
  }

 private:
  void FillPass() {
    std::memset(memory_.data(), 0x3f, table_.Bytes());
    Observe(memory_.data());
  }

  void LibmPass() {
    // The fraction of the golden ratio: multiples of it modulo 1 are spread evenly, however many there are.
    constexpr double kStride = 0x1.3c6ef372fe95p-1;
    const double turn = static_cast<double>(slices_++) * kStride;
    const auto row =
        static_cast<std::int64_t>((turn - std::floor(turn)) * static_cast<double>(table_.rows - slice_rows_ + 1));
    const std::int64_t start = NextStart(next_slice_start_) + row;
    loop_(JobFor(table_.spec, frequencies_, start, slice_rows_, slice_.data()));
    Observe(slice_.data());
  }

  std::int64_t NextStart(std::size_t& next) const { return table_.starts[next++ & (table_.starts.size() - 1)]; }

  const Table& table_;
  TableMemory& memory_;
  Writer writer_;
  Rounds& rounds_;
  Loop loop_;
  Frequencies frequencies_;
  std::vector<float> slice_;
  std::size_t slice_rows_ = 0;
  std::size_t slices_ = 0;
  std::size_t next_start_ = 0;
  std::size_t next_slice_start_ = 0;
  std::size_t passes_ = 1;
  std::size_t fill_passes_ = 1;
  std::size_t slice_passes_ = 1;
  long page_faults_ = 0;
};

}  // namespace posenc_bench

#endif  // POSENC_BENCH_ALTERNATION_H_
