// Progress of a long write: bytes done go in, one line on a terminal comes out, and nothing elsewhere.

#include "src/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

namespace posenc::cli {
namespace {

// A table that is done within this time shows no line at all.
constexpr std::chrono::milliseconds kQuietTime(300);
constexpr std::chrono::milliseconds kDrawInterval(100);

// "1.50 GB", decimal units as GB/s has them.
std::string FormatBytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), unit == 0 || bytes >= 100 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
  return text.data();
}

// "0:42", "12:05" or "3:07:11".
std::string FormatDuration(double seconds) {
  constexpr double kLongest = 999.0 * 3600.0;
  const long whole = static_cast<long>(std::min(seconds, kLongest) + 0.5);
  std::array<char, 32> text;
  if (whole >= 3600) {
    std::snprintf(text.data(), text.size(), "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%ld:%02ld", whole / 60, whole % 60);
  }
  return text.data();
}

std::size_t TerminalColumns() noexcept {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::uint64_t total_bytes) noexcept
    : on_terminal_(isatty(STDERR_FILENO) == 1),
      total_bytes_(std::max<std::uint64_t>(total_bytes, 1)),
      begin_(Clock::now()),
      next_draw_(begin_ + kQuietTime) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Advance(std::uint64_t bytes) noexcept {
  done_bytes_ += bytes;
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kDrawInterval;
  Draw(std::chrono::duration<double>(now - begin_).count());
}

void Progress::Draw(double seconds) noexcept {
  const double done = static_cast<double>(done_bytes_);
  const double total = static_cast<double>(total_bytes_);
  const double rate = done / seconds;
  std::array<char, 160> numbers;
  std::snprintf(numbers.data(), numbers.size(), " %3.0f%%  %s of %s  %.2f GB/s  %s left", 100.0 * done / total,
                FormatBytes(done).c_str(), FormatBytes(total).c_str(), rate / 1e9,
                FormatDuration((total - done) / rate).c_str());
  std::string line = numbers.data();
  // The last column stays free: a terminal would wrap there. The bar has what the numbers leave, if that is enough.
  const std::size_t columns = TerminalColumns() - 1;
  constexpr std::size_t kShortestBar = 10;
  constexpr std::size_t kLongestBar = 40;
  if (line.size() + kShortestBar + 2 <= columns) {
    const std::size_t length = std::min(columns - line.size() - 2, kLongestBar);
    const std::size_t filled = std::min(length, static_cast<std::size_t>(static_cast<double>(length) * done / total));
    std::string bar = "[";
    bar.append(filled, '#').append(length - filled, '.').append("]").append(line);
    line = std::move(bar);
  }
  std::fprintf(stderr, "\r%s\x1b[K", line.substr(0, columns).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace posenc::cli
