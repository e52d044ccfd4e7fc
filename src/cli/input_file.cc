// Input of the program: a path goes in, bytes and sentences that name the path come out.

#include "src/cli/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "src/cli/numbers.h"

namespace posenc::cli {

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Outcome InputFile::Failed(const char* verb, int error_number) const {
  return Failure("cannot " + std::string(verb) + " " + named_ + ": " + std::strerror(error_number));
}

Outcome InputFile::Open(const std::string& option, const std::string& path) {
  const std::string prefix = option.empty() ? "" : option + " ";
  if (path.empty()) return BadCommandLine(prefix + "\"\" must be the path of a file, or - for stdin");
  named_ = prefix + (path == "-" ? "stdin" : Quoted(path));
  descriptor_ =
      path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  return descriptor_ < 0 ? Failed("read", errno) : Look();
}

Outcome InputFile::Look() {
  struct stat status = {};
  if (fstat(descriptor_, &status) != 0) return Failed("read", errno);
  if (S_ISDIR(status.st_mode)) return Failed("read", EISDIR);
  if (!S_ISREG(status.st_mode)) return Done();
  begin_ = lseek(descriptor_, 0, SEEK_CUR);
  if (begin_ < 0) return Failed("read", errno);
  size_ = static_cast<std::uint64_t>(std::max<std::int64_t>(status.st_size - begin_, 0));
  return Done();
}

Outcome InputFile::MakeSeekable() {
  if (size_) return Done();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> copy(std::tmpfile(), std::fclose);
  if (!copy) return Failed("make a temporary file for", errno);
  std::vector<char> block(std::size_t{1} << 16);
  std::size_t got = block.size();
  while (got == block.size()) {
    Outcome outcome = Read(block.data(), block.size(), &got);
    if (!outcome.done()) return outcome;
    if (std::fwrite(block.data(), 1, got, copy.get()) != got) return Failed("make a temporary file for", errno);
  }
  if (std::fflush(copy.get()) != 0) return Failed("make a temporary file for", errno);
  const int descriptor = fcntl(fileno(copy.get()), F_DUPFD_CLOEXEC, 3);
  if (descriptor < 0) return Failed("make a temporary file for", errno);
  close(descriptor_);
  descriptor_ = descriptor;
  if (lseek(descriptor_, 0, SEEK_SET) != 0) return Failed("read", errno);
  return Look();
}

Outcome InputFile::SeekTo(std::uint64_t offset) {
  const off_t place = begin_ + static_cast<off_t>(offset);
  return lseek(descriptor_, place, SEEK_SET) == place ? Done() : Failed("read", errno);
}

Outcome InputFile::Read(void* data, std::size_t size, std::size_t* got) {
  // Linux moves at most 2 GiB a call.
  constexpr std::size_t kLargestPiece = std::size_t{1} << 30;
  char* const bytes = static_cast<char*>(data);
  *got = 0;
  while (*got < size) {
    const ssize_t count = read(descriptor_, bytes + *got, std::min(size - *got, kLargestPiece));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("read", errno);
    if (count == 0) break;
    *got += static_cast<std::size_t>(count);
  }
  return Done();
}

Outcome InputFile::ReadAll(void* data, std::size_t size) {
  std::size_t got = 0;
  Outcome outcome = Read(data, size, &got);
  return !outcome.done() || got == size ? outcome : Failure(named_ + " ends before the data that its header announces");
}

Outcome InputFile::ExpectEnd() {
  char byte = 0;
  std::size_t got = 0;
  Outcome outcome = Read(&byte, 1, &got);
  return !outcome.done() || got == 0 ? outcome : Failure(named_ + " must end with the data that its header announces");
}

}  // namespace posenc::cli
