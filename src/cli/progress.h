// Progress of a long write: bytes done go in, one line on a terminal comes out, and nothing elsewhere.

#ifndef POSENC_SRC_CLI_PROGRESS_H_
#define POSENC_SRC_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>

namespace posenc::cli {

// Percentage, bytes, GB/s and the time left, on stderr when that is a terminal. The line is wiped at destruction.
class Progress {
 public:
  explicit Progress(std::uint64_t total_bytes) noexcept;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Advance(std::uint64_t bytes) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(double seconds) noexcept;

  const bool on_terminal_;
  const std::uint64_t total_bytes_;
  const Clock::time_point begin_;
  Clock::time_point next_draw_;
  std::uint64_t done_bytes_ = 0;
  bool drawn_ = false;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_PROGRESS_H_
