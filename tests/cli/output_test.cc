// Output files: what can go wrong goes in, and the old file or the complete new one, never a part, comes out.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/program.h"

namespace posenc::cli_test {
namespace {

using Names = std::vector<std::string>;

Names EncodeTo(const std::string& path, const std::string& positions = "0:4") {
  return {"encode", "--dim", "512", "--positions", positions, "-o", path};
}

Names PlotTo(const std::string& path) { return {"plot", "--dim", "64", "--positions", "0:100", "-o", path}; }

Names SimilarityTo(const std::string& path, const std::string& format, const std::string& offsets = "0:400") {
  return {"similarity", "--dim", "64", "--format", format, "--offsets", offsets, "-o", path};
}

// Commands that write to a path, each in its own way.
using Command = Names (*)(const std::string& path);
constexpr Command kCommands[] = {
    [](const std::string& path) { return EncodeTo(path); },
    [](const std::string& path) { return PlotTo(path); },
    [](const std::string& path) { return SimilarityTo(path, "csv"); },
    [](const std::string& path) { return SimilarityTo(path, "npy"); },
    [](const std::string& path) { return SimilarityTo(path, "png"); },
};

// 2^50 rows: only a signal or an error ends it.
constexpr char kEndless[] = "0:1125899906842624";

void ExpectFailure(const Ended& ended, const std::string& sentence) {
  EXPECT_EQ(1, ended.exit_code);
  EXPECT_EQ("", ended.out);
  EXPECT_EQ("posenc: " + sentence + ".\n", ended.err);
}

TEST(Output, APathThatCannotBeWrittenIsNamed) {
  const TemporaryDirectory directory;
  for (const Command command : kCommands) {
    const auto run = [command](const std::string& path) { return RunProgram(command(path)); };
    const std::string missing = directory / "missing/t";
    ExpectFailure(run(missing), "cannot write -o \"" + missing + "\": No such file or directory");
    ExpectFailure(run(directory.path()), "cannot write -o \"" + directory.path().string() + "\": Is a directory");
    ExpectFailure(run(directory / "new/"), "cannot write -o \"" + directory / "new/" + "\": Is a directory");
    const std::string long_name = directory / std::string(256, 'n');
    ExpectFailure(run(long_name), "cannot write -o \"" + long_name.substr(0, 80) + "...\": File name too long");
    EXPECT_EQ(2, run("").exit_code);
    EXPECT_TRUE(directory.Names().empty());
  }
}

TEST(Output, AFullDeviceIsAnError) {
  std::vector<Names> commands = {EncodeTo("/dev/full", "0:4000"), SimilarityTo("/dev/full", "csv", "0:100000"),
                                 SimilarityTo("/dev/full", "npy", "0:100000")};
  for (const Command command : kCommands) commands.push_back(command("/dev/full"));
  for (const Names& command : commands) {
    ExpectFailure(RunProgram(command), "cannot write -o \"/dev/full\": No space left on device");
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_EQ(0, RunProgram(EncodeTo("/dev/null")).exit_code);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Output, AFailedWriteLeavesTheOldFileAndNoOther) {
  const TemporaryDirectory directory;
  WriteFile(directory / "t", "old");
  // The limit falls into the first of several chunks, into the last one, and into a picture.
  for (const Names& command :
       {EncodeTo(directory / "t", "0:4000"), EncodeTo(directory / "t", "0:4"), PlotTo(directory / "t"),
        SimilarityTo(directory / "t", "csv", "0:20000"), SimilarityTo(directory / "t", "npy", "0:1000"),
        SimilarityTo(directory / "t", "png", "0:1000000")}) {
    const Ended ended = RunWithFileLimit(command, 4096);
    ExpectFailure(ended, "cannot write -o \"" + directory / "t" + "\": File too large");
    EXPECT_EQ(Names{"t"}, directory.Names());
    EXPECT_EQ("old", ReadFile(directory / "t"));
  }
}

mode_t ModeOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(0, stat(path.c_str(), &status)) << path;
  return status.st_mode & 07777u;
}

Ended RunUnderUmask(mode_t mask, const Names& command) {
  const mode_t before = umask(mask);
  Ended ended = RunProgram(command);
  umask(before);
  return ended;
}

TEST(Output, AnExistingFileIsReplacedAndKeepsItsPermissionBits) {
  for (const mode_t mode : {0600u, 0640u, 0644u, 0666u, 0775u}) {
    const TemporaryDirectory directory;
    WriteFile(directory / "t.npy", "old");
    std::filesystem::create_symlink("t.npy", directory / "link");
    for (const std::string& path : {directory / "t.npy", directory / "link"}) {
      ASSERT_EQ(0, chmod((directory / "t.npy").c_str(), mode));
      EXPECT_EQ(0, RunUnderUmask(0027, EncodeTo(path)).exit_code);
      EXPECT_EQ((Names{"link", "t.npy"}), directory.Names());
      EXPECT_EQ(128u + 4u * 512u * 4u, std::filesystem::file_size(directory / "t.npy"));
      EXPECT_EQ(mode, ModeOf(directory / "t.npy"));
    }
  }
}

TEST(Output, ANewFileHasTheModeOfTheUmaskAndBitsOfProgramsAreNotKept) {
  const TemporaryDirectory directory;
  EXPECT_EQ(0, RunUnderUmask(0027, EncodeTo(directory / "t.npy")).exit_code);
  EXPECT_EQ(0640u, ModeOf(directory / "t.npy"));
  ASSERT_EQ(0, chmod((directory / "t.npy").c_str(), 06755));
  EXPECT_EQ(0, RunProgram(EncodeTo(directory / "t.npy")).exit_code);
  EXPECT_EQ(0755u, ModeOf(directory / "t.npy"));
}

// The picture has 48 MB, for which there is no memory here: that is found only when the output can be written.
TEST(Output, IsOpenedBeforeAPictureIsDrawn) {
  const TemporaryDirectory directory;
  constexpr std::size_t kTooLittle = 32 * 1024;
  for (Names command : {Names{"plot", "--dim", "4000", "--positions", "0:4000"},
                        Names{"similarity", "--dim", "64", "--offsets", "0:400"}}) {
    command.insert(command.end(), {"--width", "4000", "--height", "4000", "-o", directory / "missing/t.png"});
    ExpectFailure(RunProgram(command, kTooLittle),
                  "cannot write -o \"" + command.back() + "\": No such file or directory");
    command.back() = directory / "t.png";
    if (MemoryIsItsOwn()) ExpectFailure(RunProgram(command, kTooLittle), "this machine gives no more memory");
    EXPECT_TRUE(directory.Names().empty());
  }
}

TEST(Output, AReadOnlyFileIsNotReplaced) {
  if (geteuid() == 0) return;  // every file is writable to root
  const TemporaryDirectory directory;
  WriteFile(directory / "t.npy", "old");
  ASSERT_EQ(0, chmod((directory / "t.npy").c_str(), 0400));
  ExpectFailure(RunProgram(EncodeTo(directory / "t.npy")),
                "cannot replace -o \"" + directory / "t.npy" + "\": Permission denied");
  EXPECT_EQ("old", ReadFile(directory / "t.npy"));
}

TEST(Output, ASymbolicLinkStaysAndItsTargetIsReplaced) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "a");
  WriteFile(directory / "a/file", "old");
  std::filesystem::create_symlink("file", directory / "a/inner");
  std::filesystem::create_symlink("a/inner", directory / "outer");
  std::filesystem::create_symlink("a/later", directory / "dangling");
  EXPECT_EQ(0, RunProgram(EncodeTo(directory / "outer")).exit_code);
  EXPECT_EQ(0, RunProgram(EncodeTo(directory / "dangling")).exit_code);
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "outer"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "a/inner"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "dangling"));
  EXPECT_EQ(ReadFile(directory / "a/file"), ReadFile(directory / "a/later"));
  EXPECT_LT(8192u, std::filesystem::file_size(directory / "a/file"));
  std::filesystem::create_symlink("loop", directory / "loop");
  ExpectFailure(RunProgram(EncodeTo(directory / "loop")),
                "cannot write -o \"" + directory / "loop" + "\": Too many levels of symbolic links");
}

TEST(Output, DashIsStdout) {
  const TemporaryDirectory directory;
  for (const Command command : kCommands) {
    const Ended through_stdout = RunProgram(command("-"));
    EXPECT_EQ(0, through_stdout.exit_code);
    EXPECT_EQ("", through_stdout.err);
    EXPECT_EQ(0, RunProgram(command(directory / "t")).exit_code);
    EXPECT_EQ(ReadFile(directory / "t"), through_stdout.out);
  }
}

TEST(Output, StdoutByItsNameGoesOnWhereOthersHaveWritten) {
  const TemporaryDirectory directory;
  for (const Command command : kCommands) {
    EXPECT_EQ(0, RunProgram(command(directory / "t")).exit_code);
    const std::string once = ReadFile(directory / "t");
    WriteFile(directory / "all", "before");
    const int all = open((directory / "all").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    for (const char* const path : {"/dev/stdout", "-", "/dev/fd/1"}) {
      EXPECT_EQ(0, WaitFor(StartProgram(command(path), {.out = all})).exit_code);
    }
    close(all);
    EXPECT_EQ("before" + once + once + once, ReadFile(directory / "all"));
    EXPECT_EQ((Names{"all", "t"}), directory.Names());
  }
}

// What a terminal is shown goes through this: the descriptor for the program, and the text that arrived.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  // A root without /dev/pts, as of debootstrap, has no terminals to give.
  bool exists() const { return slave_ >= 0; }
  ~Terminal() {
    if (slave_ >= 0) close(slave_);
    if (master_ >= 0) close(master_);
  }
  int descriptor() const { return slave_; }
  // All that was written; the program must have ended.
  std::string Text() {
    close(slave_);
    slave_ = -1;
    std::string text;
    char block[4096];
    for (ssize_t size = 0; (size = read(master_, block, sizeof(block))) > 0;) {
      text.append(block, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int master_;
  int slave_ = -1;
};

TEST(Output, ATerminalIsNotSentBinaryData) {
  Terminal terminal;
  if (!terminal.exists()) GTEST_SKIP() << "this system has no pseudo-terminals (/dev/pts)";
  const Ended ended =
      WaitFor(StartProgram(EncodeTo("-"), {.out = terminal.descriptor(), .err = terminal.descriptor()}));
  EXPECT_EQ(2, ended.exit_code);
  EXPECT_EQ("posenc: -o - writes binary data, which a terminal cannot show: redirect stdout or name a file.\r\n",
            terminal.Text());
}

// The bytes that command writes to stdout, whose reader pauses for so long that progress is drawn, however fast the
// machine is. *progress is what a terminal is shown.
std::size_t BytesOfSlowReader(const Names& command, Terminal* terminal, std::string* progress) {
  int pipe_ends[2];
  EXPECT_EQ(0, pipe2(pipe_ends, O_CLOEXEC));
  const pid_t process = StartProgram(command, {.out = pipe_ends[1], .err = terminal->descriptor()});
  close(pipe_ends[1]);
  std::vector<char> block(1 << 20);
  std::size_t total = 0;
  for (ssize_t size = 0; (size = read(pipe_ends[0], block.data(), block.size())) > 0;) {
    if (total == 0) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    total += static_cast<std::size_t>(size);
  }
  close(pipe_ends[0]);
  EXPECT_EQ(0, WaitFor(process).exit_code);
  *progress = terminal->Text();
  return total;
}

TEST(Output, ProgressIsDrawnOnATerminalAndWiped) {
  const struct {
    Names command;
    std::size_t bytes;
    Names parts;
  } cases[] = {
      {EncodeTo("-", "0:4096"), 128 + 4096 * 512 * 4, {"%  ", " of 8.4 MB", " GB/s", " left"}},
      {SimilarityTo("-", "npy", "0:200000"), 128 + 200000 * 8, {"%  ", " k of 200 k offsets", "/s", " left"}},
  };
  for (const auto& [command, bytes, parts] : cases) {
    Terminal terminal;
    if (!terminal.exists()) GTEST_SKIP() << "this system has no pseudo-terminals (/dev/pts)";
    std::string text;
    EXPECT_EQ(bytes, BytesOfSlowReader(command, &terminal, &text));
    for (const std::string& part : parts) EXPECT_NE(std::string::npos, text.find(part)) << part << " in " << text;
    EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
    EXPECT_EQ(std::string::npos, text.find('\n'));
  }
}

TEST(Output, AClosedPipeIsAnError) {
  const TemporaryDirectory directory;
  const int err = open((directory / "err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  for (const Names& command :
       {EncodeTo("-", kEndless), PlotTo("-"), SimilarityTo("-", "csv", kEndless), SimilarityTo("-", "npy", kEndless),
        SimilarityTo("-", "png"), Names{"info"}, Names{"presets"}, Names{"--help"}}) {
    int pipe_ends[2];
    ASSERT_EQ(0, pipe2(pipe_ends, O_CLOEXEC));
    close(pipe_ends[0]);
    ASSERT_EQ(0, ftruncate(err, 0));
    ASSERT_EQ(0, lseek(err, 0, SEEK_SET));
    const Ended ended = WaitFor(StartProgram(command, {.out = pipe_ends[1], .err = err}));
    close(pipe_ends[1]);
    EXPECT_EQ(1, ended.exit_code);
    EXPECT_EQ("posenc: cannot write stdout: Broken pipe.\n", ReadFile(directory / "err"));
  }
  close(err);
}

// Runs command, which has no end and writes to t of directory, until its temporary file is there; then ends it by the
// signal. Returns the name of the temporary file.
std::string EndBySignal(const Names& command, const TemporaryDirectory& directory, int signal_number) {
  WriteFile(directory / "t", "old");
  EXPECT_EQ(0, chmod((directory / "t").c_str(), 0600));
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t process = StartProgram(command, {.out = null, .err = null});
  const std::string temporary = ".t.tmp-" + std::to_string(process);
  while (!std::filesystem::exists(directory / temporary) && waitpid(process, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ((Names{temporary, "t"}), directory.Names());
  EXPECT_EQ(0600u, ModeOf(directory / temporary));
  kill(process, signal_number);
  EXPECT_EQ(signal_number, WaitFor(process).signal_number);
  EXPECT_EQ("old", ReadFile(directory / "t"));
  close(null);
  return temporary;
}

std::vector<Names> EndlessCommands(const std::string& path) {
  return {EncodeTo(path, kEndless), SimilarityTo(path, "csv", kEndless), SimilarityTo(path, "npy", kEndless)};
}

TEST(Output, ASignalLeavesTheOldFileAndNoOther) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    const TemporaryDirectory directory;
    for (const Names& command : EndlessCommands(directory / "t")) {
      EndBySignal(command, directory, signal_number);
      EXPECT_EQ(Names{"t"}, directory.Names());
    }
  }
}

TEST(Output, AKilledProgramLeavesNothingUnderTheFinalName) {
  const TemporaryDirectory directory;
  for (const Names& command : EndlessCommands(directory / "t")) {
    // No program can remove its file then.
    const std::string temporary = EndBySignal(command, directory, SIGKILL);
    EXPECT_EQ((Names{temporary, "t"}), directory.Names());
    std::filesystem::remove(directory / temporary);
  }
}

TEST(Output, ATerminalIsShownNumbersAsText) {
  Terminal terminal;
  if (!terminal.exists()) GTEST_SKIP() << "this system has no pseudo-terminals (/dev/pts)";
  const Names command = {"similarity", "--dim", "2", "--offsets", "0:1", "-o", "-"};
  EXPECT_EQ(0, WaitFor(StartProgram(command, {.out = terminal.descriptor(), .err = terminal.descriptor()})).exit_code);
  EXPECT_EQ("offset,similarity\r\n0,1\r\n", terminal.Text());
}

TEST(Output, LongTablesNeedNoMoreMemoryThanShortOnes) {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t process =
      StartProgram(EncodeTo("/dev/null", kEndless), {.out = null, .err = null, .memory_kib = kBoundedMemory});
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(process, SIGTERM);
  const Ended ended = WaitFor(process);
  close(null);
  EXPECT_EQ(SIGTERM, ended.signal_number);
}

}  // namespace
}  // namespace posenc::cli_test
