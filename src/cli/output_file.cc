// Output of the program: a path and bytes go in, a complete file or none comes out.

#include "src/cli/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/cli/numbers.h"

namespace posenc::cli {
namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

// Names of stdout. When it is a regular file they lead to that file by its name, and replacing it would lose what
// others have written to stdout and will write.
constexpr std::string_view kStdoutPaths[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};

// What a replaced file hands on. The bits of set-user-ID and the like belong to programs.
constexpr mode_t kPermissions = 0777;

// The name that a signal handler unlinks, or null. It points into OutputFile::temporary_, which does not change while
// it is published.
std::atomic<const char*> published_temporary{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

extern "C" void RemoveTemporaryAndEnd(int signal_number) {
  const char* const temporary = published_temporary.load();
  if (temporary != nullptr) unlink(temporary);
  // SA_RESETHAND has restored the default action: the parent sees the end by this signal.
  raise(signal_number);
}

// Holds the ending signals back, so that a file on disk and its published name appear and disappear together.
class SignalsHeld {
 public:
  SignalsHeld() noexcept {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal_number : kEndingSignals) sigaddset(&ending, signal_number);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// Where path leads when it is a symbolic link, and that is one, and so on; what it leads to need not exist.
// An empty path: more links than the kernel would follow.
std::filesystem::path FollowLinks(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return path;  // no link
    path = path.parent_path() / target;
  }
  return {};
}

}  // namespace

void InstallSignalHandlers() noexcept {
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigaction(SIGXFSZ, &ignore, nullptr);

  struct sigaction end = {};
  end.sa_handler = RemoveTemporaryAndEnd;
  end.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal_number : kEndingSignals) {
    struct sigaction current = {};
    sigaction(signal_number, nullptr, &current);
    // A signal that the parent had ignored (nohup, a background job of a script) stays ignored.
    if (current.sa_handler != SIG_IGN) sigaction(signal_number, &end, nullptr);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  RemoveTemporary();
}

Outcome OutputFile::Failed(const char* verb, int error_number) const {
  return Failure("cannot " + std::string(verb) + " " + named_ + ": " + std::strerror(error_number));
}

Outcome OutputFile::Open(const std::string& path) {
  if (path.empty()) return BadCommandLine("-o must be a path, or - for stdout, not \"\"");
  if (path == "-") {
    if (isatty(STDOUT_FILENO) == 1) {
      return BadCommandLine("-o - writes binary data, which a terminal cannot show: redirect stdout or name a file");
    }
    return OpenStdout();
  }
  if (std::ranges::find(kStdoutPaths, path) != std::end(kStdoutPaths)) return OpenStdout();
  named_ = "-o " + Quoted(path);
  struct stat status = {};
  std::optional<mode_t> replaced;
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return Failed("write", EISDIR);
    if (!S_ISREG(status.st_mode)) {
      descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      return descriptor_ < 0 ? Failed("write", errno) : Done();
    }
    // A directory would let its read-only file be replaced; whoever made it read-only did not want that.
    if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return Failed("replace", errno);
    replaced = status.st_mode & kPermissions;
  } else if (errno != ENOENT) {
    return Failed("write", errno);
  }
  final_ = FollowLinks(path).string();
  if (final_.empty()) return Failed("write", ELOOP);
  return OpenTemporary(replaced);
}

Outcome OutputFile::OpenStdout() {
  named_ = "stdout";
  // A descriptor of our own, so that its close can report what the file system held back.
  descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return descriptor_ < 0 ? Failed("write", errno) : Done();
}

Outcome OutputFile::OpenTemporary(std::optional<mode_t> replaced) {
  const std::filesystem::path directory = std::filesystem::path(final_).parent_path();
  const std::string name = std::filesystem::path(final_).filename().string();
  if (name.empty() || name == "." || name == "..") return Failed("write", EISDIR);
  // The longest name of a file is 255 bytes; a process id has at most ten digits.
  constexpr std::size_t kLongestPart = 255 - sizeof(".") - sizeof(".tmp-2147483647-99");
  if (name.size() > 255) return Failed("write", ENAMETOOLONG);
  std::string stem = ".";
  stem.append(name, 0, kLongestPart).append(".tmp-").append(std::to_string(getpid()));
  // What a killed process of the same id left behind is stepped over.
  constexpr int kMostAttempts = 100;
  int error_number = EEXIST;
  for (int attempt = 0; attempt < kMostAttempts && error_number == EEXIST; ++attempt) {
    std::string candidate = (directory / stem).string();
    if (attempt > 0) candidate.append("-").append(std::to_string(attempt));
    const SignalsHeld held;
    descriptor_ = open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced.value_or(0666));
    if (descriptor_ >= 0) {
      temporary_ = std::move(candidate);
      published_temporary.store(temporary_.c_str());
      return replaced ? KeepMode(*replaced) : Done();
    }
    error_number = errno;
  }
  return Failed("write", error_number);
}

// The umask has taken bits away, never given one. A file system without modes has nothing to set.
Outcome OutputFile::KeepMode(mode_t mode) {
  struct stat status = {};
  const bool is_kept = fstat(descriptor_, &status) == 0 && (status.st_mode & kPermissions) == mode;
  return is_kept || fchmod(descriptor_, mode) == 0 ? Done() : Failed("replace", errno);
}

Outcome OutputFile::Write(const void* data, std::size_t size) {
  // Linux moves at most 2 GiB a call, and a smaller piece lets an ending signal in sooner.
  constexpr std::size_t kLargestPiece = std::size_t{16} << 20;
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(descriptor_, next, std::min(size, kLargestPiece));
    if (written < 0) {
      if (errno == EINTR) continue;
      return Failed("write", errno);
    }
    next += written;
    size -= static_cast<std::size_t>(written);
  }
  return Done();
}

Outcome OutputFile::Commit() {
  const int descriptor = std::exchange(descriptor_, -1);
  // Whatever close returns, the descriptor is gone. Quotas and network file systems report here.
  if (close(descriptor) != 0 && errno != EINTR) return Failed("write", errno);
  if (temporary_.empty()) return Done();
  const SignalsHeld held;
  if (rename(temporary_.c_str(), final_.c_str()) != 0) return Failed("replace", errno);
  published_temporary.store(nullptr);
  temporary_.clear();
  return Done();
}

void OutputFile::RemoveTemporary() noexcept {
  if (temporary_.empty()) return;
  const SignalsHeld held;
  unlink(temporary_.c_str());
  published_temporary.store(nullptr);
  temporary_.clear();
}

}  // namespace posenc::cli
