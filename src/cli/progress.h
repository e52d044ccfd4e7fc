// Progress of a long write: bytes or offsets done go in, one line on a terminal comes out, and nothing elsewhere.

#ifndef POSENC_SRC_CLI_PROGRESS_H_
#define POSENC_SRC_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>

namespace posenc::cli {

// Percentage, amount, speed and the time left, on stderr when that is a terminal. The line is wiped at destruction.
class Progress {
 public:
  enum class Unit : std::uint8_t { kBytes, kOffsets };

  explicit Progress(std::uint64_t total, Unit unit = Unit::kBytes) noexcept;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Advance(std::uint64_t amount) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(double seconds) noexcept;

  const bool on_terminal_;
  const Unit unit_;
  const std::uint64_t total_;
  const Clock::time_point begin_;
  Clock::time_point next_draw_;
  std::uint64_t done_ = 0;
  bool drawn_ = false;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_PROGRESS_H_
