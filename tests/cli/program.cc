// Runs the built program: arguments go in, its exit code, its outputs and the files it left come out.

#include "tests/cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

extern char** environ;

namespace posenc::cli_test {
namespace {

// The emulator, its arguments and the program; without an emulator the program alone.
std::vector<std::string> Command() {
  std::vector<std::string> command;
  std::istringstream parts(POSENC_CLI_COMMAND);
  for (std::string part; std::getline(parts, part, '|');) {
    if (!part.empty()) command.push_back(part);
  }
  return command;
}

// Runs it to its end with both outputs in files.
Ended RunFrom(const std::vector<std::string>& arguments, int in, std::size_t memory_kib,
              const std::vector<std::string>& through = {}) {
  const TemporaryDirectory directory;
  const std::string out_path = directory / "out";
  const std::string err_path = directory / "err";
  const int out = open(out_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int err = open(err_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Ended ended = WaitFor(
      StartProgram(arguments, {.out = out, .err = err, .in = in, .memory_kib = memory_kib, .through = through}));
  close(out);
  close(err);
  ended.out = ReadFile(out_path);
  ended.err = ReadFile(err_path);
  return ended;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "posenc_cli_test.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << name;
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::vector<std::string> TemporaryDirectory::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

pid_t StartProgram(const std::vector<std::string>& arguments, const Start& start) {
  std::vector<std::string> command = Command();
  if (start.memory_kib != 0 && MemoryIsItsOwn()) {
    // The limit is set in the new process: this one may hold more. The peak that wait4 tells is of no use, for the
    // kernel counts from before the exec.
    const std::string limited = "ulimit -S -d " + std::to_string(start.memory_kib) + " && exec \"$0\" \"$@\"";
    command.insert(command.begin(), {"/bin/sh", "-c", limited});
  }
  command.insert(command.begin(), start.through.begin(), start.through.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (start.in < 0) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, start.in, STDIN_FILENO);
  }
  posix_spawn_file_actions_adddup2(&actions, start.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, start.err, STDERR_FILENO);
  pid_t process = -1;
  EXPECT_EQ(0, posix_spawn(&process, argv[0], &actions, nullptr, argv.data(), environ));
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

Ended WaitFor(pid_t process) {
  int status = 0;
  Ended ended;
  EXPECT_EQ(process, waitpid(process, &status, 0));
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal_number = WTERMSIG(status);
  return ended;
}

Ended RunProgram(const std::vector<std::string>& arguments, std::size_t memory_kib) {
  return RunFrom(arguments, -1, memory_kib);
}

Ended RunThrough(const std::vector<std::string>& command, const std::vector<std::string>& arguments) {
  return RunFrom(arguments, -1, 0, command);
}

Ended RunWithInput(const std::vector<std::string>& arguments, const std::string& input, std::size_t memory_kib) {
  int pipe_ends[2];
  EXPECT_EQ(0, pipe2(pipe_ends, O_CLOEXEC));
  // A program that does not read to the end must not end the test.
  signal(SIGPIPE, SIG_IGN);
  std::thread writer([&input, descriptor = pipe_ends[1]] {
    for (std::size_t done = 0; done < input.size();) {
      const ssize_t written = write(descriptor, input.data() + done, input.size() - done);
      if (written < 0) break;
      done += static_cast<std::size_t>(written);
    }
    close(descriptor);
  });
  Ended ended = RunFrom(arguments, pipe_ends[0], memory_kib);
  close(pipe_ends[0]);
  writer.join();
  return ended;
}

Ended RunWithFileLimit(const std::vector<std::string>& arguments, std::size_t bytes) {
  rlimit before = {};
  EXPECT_EQ(0, getrlimit(RLIMIT_FSIZE, &before));
  rlimit small = before;
  small.rlim_cur = bytes;
  EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
  Ended ended = RunProgram(arguments);
  EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &before));
  return ended;
}

bool MemoryIsItsOwn() {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return false;
#endif
#endif
  return Command().size() == 1;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteFile(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace posenc::cli_test
