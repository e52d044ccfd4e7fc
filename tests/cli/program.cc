// Runs the built program: arguments go in, its exit code, its outputs and the files it left come out.

#include "tests/cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

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

pid_t Start(const std::vector<std::string>& arguments, int out_descriptor, int err_descriptor) {
  std::vector<std::string> command = Command();
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_descriptor, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_descriptor, STDERR_FILENO);
  pid_t process = -1;
  EXPECT_EQ(0, posix_spawn(&process, argv[0], &actions, nullptr, argv.data(), environ));
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

Ended WaitFor(pid_t process) {
  int status = 0;
  rusage usage = {};
  Ended ended;
  EXPECT_EQ(process, wait4(process, &status, 0, &usage));
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal_number = WTERMSIG(status);
  ended.peak_resident_kib = usage.ru_maxrss;
  return ended;
}

Ended RunProgram(const std::vector<std::string>& arguments) {
  const TemporaryDirectory directory;
  const std::string out_path = directory / "out";
  const std::string err_path = directory / "err";
  const int out = open(out_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int err = open(err_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Ended ended = WaitFor(Start(arguments, out, err));
  close(out);
  close(err);
  ended.out = ReadFile(out_path);
  ended.err = ReadFile(err_path);
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
