// Progress of a long write: bytes or offsets done go in, one line on a terminal comes out, and nothing elsewhere.

#include "src/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

namespace posenc::cli {
namespace {

// A table that is done within this time shows no line at all.
constexpr std::chrono::milliseconds kQuietTime(300);
constexpr std::chrono::milliseconds kDrawInterval(100);

// "1.5 GB", decimal units as GB/s has them; "1.5 M" and "15" without a unit.
std::string FormatAmount(double amount, const char* unit) {
  constexpr std::array<const char*, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (amount >= 999.5 && prefix + 1 < kPrefixes.size()) {
    amount /= 1000.0;
    ++prefix;
  }
  std::array<char, 32> number;
  std::snprintf(number.data(), number.size(), prefix == 0 || amount >= 100 ? "%.0f" : "%.1f", amount);
  const std::string suffix = std::string(kPrefixes[prefix]) + unit;
  return number.data() + (suffix.empty() ? suffix : " " + suffix);
}

// "0:42", "12:05" or "3:07:11".
std::string FormatDuration(double seconds) {
  constexpr double kLongest = 999.0 * 3600.0;
  const int whole = static_cast<int>(std::lround(std::min(seconds, kLongest)));
  std::array<char, 32> text;
  if (whole >= 3600) {
    std::snprintf(text.data(), text.size(), "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%d:%02d", whole / 60, whole % 60);
  }
  return text.data();
}

std::size_t TerminalColumns() noexcept {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::uint64_t total, Unit unit) noexcept
    : on_terminal_(isatty(STDERR_FILENO) == 1),
      unit_(unit),
      total_(std::max<std::uint64_t>(total, 1)),
      begin_(Clock::now()),
      next_draw_(begin_ + kQuietTime) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Advance(std::uint64_t amount) noexcept {
  done_ += amount;
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kDrawInterval;
  Draw(std::chrono::duration<double>(now - begin_).count());
}

void Progress::Draw(double seconds) noexcept {
  const double done = static_cast<double>(done_);
  const double total = static_cast<double>(total_);
  const double rate = done / seconds;
  const bool is_bytes = unit_ == Unit::kBytes;
  const char* const unit = is_bytes ? "B" : "";
  std::array<char, 32> speed;
  std::snprintf(speed.data(), speed.size(), "%.2f GB/s", rate / 1e9);
  std::array<char, 160> numbers;
  std::snprintf(numbers.data(), numbers.size(), " %3.0f%%  %s of %s%s  %s  %s left", 100.0 * done / total,
                FormatAmount(done, unit).c_str(), FormatAmount(total, unit).c_str(), is_bytes ? "" : " offsets",
                is_bytes ? speed.data() : FormatAmount(rate, "/s").c_str(),
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
