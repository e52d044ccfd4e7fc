// Faults of the machine: a kill that nothing can catch, a full or read-only file system, a directory that goes away, an
// input that breaks off and descriptors that are closed go in; the old file or the complete new one, never a part, and
// a clear exit code come out. output_test.cc has the faults of one path.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/program.h"

namespace posenc::cli_test {
namespace {

using Names = std::vector<std::string>;

Names EncodeTo(const std::string& path, const std::string& positions) {
  return {"encode", "--dim", "512", "--positions", positions, "-o", path};
}

void ExpectFailure(const Ended& ended, const std::string& sentence) {
  EXPECT_EQ(1, ended.exit_code);
  EXPECT_EQ("posenc: " + sentence + ".\n", ended.err);
}

// Waits until the program has its temporary file, or has ended.
std::string AwaitTemporary(const TemporaryDirectory& directory, const std::string& name, pid_t process) {
  std::string temporary = "." + name + ".tmp-" + std::to_string(process);
  while (!std::filesystem::exists(directory / temporary) && waitpid(process, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return temporary;
}

class Null {
 public:
  Null() : descriptor_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {}
  Null(const Null&) = delete;
  Null& operator=(const Null&) = delete;
  ~Null() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

TEST(Faults, AKillLeavesTheOldFileAndTheNextRunGoesWell) {
  const Null null;
  const TemporaryDirectory directory;
  WriteFile(directory / "t.npy", "old");
  const pid_t process = StartProgram(EncodeTo(directory / "t.npy", "0:1125899906842624"),
                                     {.out = null.descriptor(), .err = null.descriptor()});
  const std::string left = AwaitTemporary(directory, "t.npy", process);
  kill(process, SIGKILL);
  EXPECT_EQ(SIGKILL, WaitFor(process).signal_number);
  EXPECT_EQ("old", ReadFile(directory / "t.npy"));
  // Nobody can remove the temporary file of a killed program but its user. It is in nobody's way.
  EXPECT_EQ((Names{left, "t.npy"}), directory.Names());
  EXPECT_EQ(0, RunProgram(EncodeTo(directory / "t.npy", "0:4")).exit_code);
  EXPECT_EQ((Names{left, "t.npy"}), directory.Names());
  EXPECT_EQ(128u + 4u * 512u * 4u, std::filesystem::file_size(directory / "t.npy"));
}

// Whenever the kill comes, also between the last write and the end.
TEST(Faults, AKillAtAnyTimeLeavesNoPartUnderTheFinalName) {
  const Null null;
  const TemporaryDirectory good;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(0, RunProgram(EncodeTo(good / "t", "0:4000")).exit_code);
  const auto whole = std::chrono::steady_clock::now() - begin;
  const std::string bytes = ReadFile(good / "t");
  constexpr int kKills = 40;
  for (int i = 0; i < kKills; ++i) {
    const TemporaryDirectory directory;
    const pid_t process =
        StartProgram(EncodeTo(directory / "t", "0:4000"), {.out = null.descriptor(), .err = null.descriptor()});
    std::this_thread::sleep_for(whole * i / (kKills - 10));
    kill(process, SIGKILL);
    const Ended ended = WaitFor(process);
    if (std::filesystem::exists(directory / "t")) {
      EXPECT_TRUE(ReadFile(directory / "t") == bytes) << "kill " << i;
    } else {
      EXPECT_EQ(SIGKILL, ended.signal_number) << "kill " << i;
    }
  }
}

// What a shell calls the command that it is given: the program and its arguments.
constexpr char kProgram[] = R"("$0" "$@")";

// A shell in a mount namespace of its own: script runs in it, with kProgram.
Names InNamespace(const std::string& script) {
  return {"/usr/bin/unshare", geteuid() == 0 ? "-m" : "-rm", "/bin/sh", "-c", script};
}

bool MayMount(const TemporaryDirectory& directory) {
  return std::filesystem::exists("/usr/bin/unshare") &&
         RunThrough(InNamespace("mount -t tmpfs none " + directory.path().string()), {}).exit_code == 0;
}

TEST(Faults, AFullDiskLeavesTheOldFileAndNoOther) {
  const TemporaryDirectory directory;
  if (!MayMount(directory)) GTEST_SKIP() << "this system gives no mount namespace";
  const std::string path = directory.path().string();
  const std::string script = "mount -t tmpfs -o size=64k none " + path + " && printf old > " + path + "/t && { " +
                             kProgram + "; code=$?; ls -A " + path + "; cat " + path + "/t; exit $code; }";
  // Full in the first of several chunks, and in a table of one.
  for (const char* positions : {"0:40000", "0:40"}) {
    const Ended ended = RunThrough(InNamespace(script), EncodeTo(directory / "t", positions));
    ExpectFailure(ended, "cannot write -o \"" + directory / "t" + "\": No space left on device");
    EXPECT_EQ("t\nold", ended.out);
  }
  const Ended fits = RunThrough(InNamespace(script), EncodeTo(directory / "t", "0:4"));
  EXPECT_EQ(0, fits.exit_code);
  EXPECT_EQ(2u + 128u + 4u * 512u * 4u, fits.out.size());
}

TEST(Faults, AReadOnlyFileSystemIsNamed) {
  const TemporaryDirectory directory;
  if (!MayMount(directory)) GTEST_SKIP() << "this system gives no mount namespace";
  const std::string path = directory.path().string();
  WriteFile(directory / "old", "old");
  const std::string script =
      "mount --bind " + path + " " + path + " && mount -o remount,bind,ro " + path + " && exec " + kProgram;
  ExpectFailure(RunThrough(InNamespace(script), EncodeTo(directory / "new", "0:4")),
                "cannot write -o \"" + directory / "new" + "\": Read-only file system");
  ExpectFailure(RunThrough(InNamespace(script), EncodeTo(directory / "old", "0:4")),
                "cannot replace -o \"" + directory / "old" + "\": Read-only file system");
  EXPECT_EQ(Names{"old"}, directory.Names());
  EXPECT_EQ("old", ReadFile(directory / "old"));
}

// Runs `posenc add - -o path` on bytes in two parts; between() is called when the program has read the first one.
template <class Between>
Ended AddInTwoParts(const TemporaryDirectory& directory, const std::string& name, const std::string& first,
                    const std::string& second, const Between& between) {
  int pipe_ends[2];
  EXPECT_EQ(0, pipe2(pipe_ends, O_CLOEXEC));
  // A program that does not read to the end must not end the test.
  EXPECT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
  const TemporaryDirectory texts;
  const int err = open((texts / "err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const Null null;
  const pid_t process =
      StartProgram({"add", "-", "-o", directory / name}, {.out = null.descriptor(), .err = err, .in = pipe_ends[0]});
  close(pipe_ends[0]);
  EXPECT_EQ(static_cast<ssize_t>(first.size()), write(pipe_ends[1], first.data(), first.size()));
  AwaitTemporary(directory, name, process);
  between();
  EXPECT_EQ(static_cast<ssize_t>(second.size()), write(pipe_ends[1], second.data(), second.size()));
  close(pipe_ends[1]);
  Ended ended = WaitFor(process);
  close(err);
  ended.err = ReadFile(texts / "err");
  return ended;
}

TEST(Faults, AnInputThatBreaksOffLeavesTheOldFile) {
  const TemporaryDirectory directory;
  ASSERT_EQ(0, RunProgram(EncodeTo(directory / "x", "0:4")).exit_code);
  WriteFile(directory / "t", "old");
  const std::string x = ReadFile(directory / "x");
  for (const std::size_t more : {std::size_t{0}, std::size_t{1}, x.size() - 201}) {
    const Ended ended = AddInTwoParts(directory, "t", x.substr(0, 200), x.substr(200, more), [] {});
    EXPECT_EQ(1, ended.exit_code);
    EXPECT_TRUE(ended.err.starts_with("posenc: stdin ")) << ended.err;
    EXPECT_EQ("old", ReadFile(directory / "t"));
    EXPECT_EQ((Names{"t", "x"}), directory.Names());
  }
  EXPECT_EQ(0, AddInTwoParts(directory, "t", x.substr(0, 200), x.substr(200), [] {}).exit_code);
  EXPECT_EQ(x.size(), std::filesystem::file_size(directory / "t"));
}

TEST(Faults, ADirectoryThatGoesAwayIsAnError) {
  const TemporaryDirectory parent;
  ASSERT_EQ(0, RunProgram(EncodeTo(parent / "x", "0:4")).exit_code);
  const std::string x = ReadFile(parent / "x");
  const TemporaryDirectory directory;
  const Ended ended = AddInTwoParts(directory, "t", x.substr(0, 200), x.substr(200),
                                    [&] { std::filesystem::remove_all(directory.path()); });
  ExpectFailure(ended, "cannot replace -o \"" + directory / "t" + "\": No such file or directory");
}

std::string ExecWith(const std::string& redirection) { return std::string("exec ") + kProgram + " " + redirection; }

// The file must not take the place of a descriptor that something else is written to.
TEST(Faults, ClosedDescriptorsDoNoHarm) {
  const TemporaryDirectory directory;
  ASSERT_EQ(0, RunProgram(EncodeTo(directory / "good", "0:40")).exit_code);
  const std::string bytes = ReadFile(directory / "good");
  for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"}) {
    const Names shell = {"/bin/sh", "-c", ExecWith(closed)};
    EXPECT_EQ(0, RunThrough(shell, EncodeTo(directory / "t", "0:40")).exit_code) << closed;
    EXPECT_TRUE(ReadFile(directory / "t") == bytes) << closed;
  }
  ExpectFailure(RunThrough({"/bin/sh", "-c", ExecWith(">&-")}, EncodeTo("-", "0:4")),
                "cannot write stdout: Bad file descriptor");
  const Ended no_input = RunThrough({"/bin/sh", "-c", ExecWith("<&-")}, {"add", "-", "-o", directory / "n"});
  EXPECT_EQ(1, no_input.exit_code);
  EXPECT_TRUE(no_input.err.starts_with("posenc: ")) << no_input.err;
  EXPECT_FALSE(std::filesystem::exists(directory / "n"));
}

}  // namespace
}  // namespace posenc::cli_test
