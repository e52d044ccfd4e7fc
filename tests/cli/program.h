// Runs the built program: arguments go in, its exit code, its outputs and the files it left come out.

#ifndef POSENC_TESTS_CLI_PROGRAM_H_
#define POSENC_TESTS_CLI_PROGRAM_H_

#include <sys/types.h>

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
  long peak_resident_kib = 0;
  std::string out = {};
  std::string err = {};
};

// Starts the program with the given descriptors and stdin from /dev/null.
pid_t Start(const std::vector<std::string>& arguments, int out_descriptor, int err_descriptor);

// Waits for its end; out and err stay empty.
Ended WaitFor(pid_t process);

// Runs it to its end. Neither of its outputs is a terminal.
Ended RunProgram(const std::vector<std::string>& arguments);

// False under an emulator or a sanitizer, whose own memory hides that of the program.
bool MemoryIsItsOwn();

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& bytes);

}  // namespace posenc::cli_test

#endif  // POSENC_TESTS_CLI_PROGRAM_H_
