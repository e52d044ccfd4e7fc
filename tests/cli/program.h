// Runs the built program: arguments go in, its exit code, its outputs and the files it left come out.

#ifndef POSENC_TESTS_CLI_PROGRAM_H_
#define POSENC_TESTS_CLI_PROGRAM_H_

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace posenc::cli_test {

// A new empty directory that is removed with all it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  std::filesystem::path path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  // Names of what it holds, hidden ones too, in alphabetical order.
  std::vector<std::string> Names() const;

 private:
  std::filesystem::path path_;
};

struct Ended {
  int exit_code = -1;     // -1: ended by a signal
  int signal_number = 0;  // 0: exited
  std::string out = {};
  std::string err = {};
};

// KiB of data that a program may hold which promises to stay below 64 MiB; the rest is for its code. An allocation
// beyond it fails.
inline constexpr std::size_t kBoundedMemory = 48 * 1024;

// What the program starts with.
struct Start {
  int out = -1;
  int err = -1;
  int in = -1;                 // without one, stdin is /dev/null
  std::size_t memory_kib = 0;  // 0: no limit; there is none under an emulator or a sanitizer either
  // A command that gets the program and its arguments as its last ones, such as a shell's.
  std::vector<std::string> through = {};
};

pid_t StartProgram(const std::vector<std::string>& arguments, const Start& start);

// Waits for its end; out and err stay empty.
Ended WaitFor(pid_t process);

// Runs it to its end. Neither of its outputs is a terminal.
Ended RunProgram(const std::vector<std::string>& arguments, std::size_t memory_kib = 0);

// The same, through a command as in Start. Both outputs are those of the command too.
Ended RunThrough(const std::vector<std::string>& command, const std::vector<std::string>& arguments);

// The same, with these bytes in a pipe as stdin.
Ended RunWithInput(const std::vector<std::string>& arguments, const std::string& input, std::size_t memory_kib = 0);

// The same, while the program may write files of at most that many bytes.
Ended RunWithFileLimit(const std::vector<std::string>& arguments, std::size_t bytes);

// False under an emulator or a sanitizer, whose own memory hides that of the program and which take their time.
bool MemoryIsItsOwn();

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& bytes);

}  // namespace posenc::cli_test

#endif  // POSENC_TESTS_CLI_PROGRAM_H_
