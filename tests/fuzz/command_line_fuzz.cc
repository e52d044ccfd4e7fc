// Fuzz target command_line: lines of arguments, an empty line and the bytes of a file go in; the program runs on them
// in this process, in a directory of its own. It must end with 0, 1 or 2; a failure must say one sentence and leave the
// directory as it was; no temporary file may stay.
//
// The file is called f in that directory, and is stdin too: a pipe if its size is odd. No argument holds a slash, so
// that nothing outside the directory is written. Files may have kMostFileBytes, and memory is kMostMemory, so that
// tables without an end fail soon.

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_limit.h"

// The main function of the program, which the build gives this name here.
int PosencMain(int argc, char** argv);

// Of the runtime of the sanitizers, where there is one: the descriptor for its reports. The name is theirs.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" void __attribute__((weak)) __sanitizer_set_report_fd(void* descriptor);

namespace posenc::fuzz {
namespace {

constexpr rlim_t kMostFileBytes = 1 << 20;
constexpr std::size_t kMostMemory = std::size_t{64} << 20;
constexpr std::size_t kMostArguments = 40;
constexpr std::size_t kMostInput = 16384;  // fits in a pipe that nobody reads yet

// Lines up to the first empty one, and what is behind it.
struct Input {
  std::vector<std::string> arguments = {"posenc"};
  std::string file;
};

Input Split(std::string_view bytes) {
  Input input;
  while (!bytes.empty() && input.arguments.size() < kMostArguments) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    std::string argument(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (argument.empty()) break;
    std::ranges::replace(argument, '/', '_');
    argument.resize(std::min(argument.find('\0'), argument.size()));  // C ends it there
    input.arguments.push_back(argument);
  }
  input.file = bytes;
  return input;
}

// A directory that is removed with the process.
class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "posenc_fuzz.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Directory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  const std::filesystem::path& path() const { return path_; }

  // Names and contents.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::ifstream stream(entry.path(), std::ios::binary);
      files[entry.path().filename()] = {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    }
    return files;
  }

  // Leaves the one file f.
  void Reset(const std::string& bytes) const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove_all(entry.path());
    std::ofstream(path_ / "f", std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

void RequireCall(bool done, const char* call) {
  Require(done, [call] { return std::string("the system refuses ") + call; });
}

// A descriptor of this process that stands for another file as long as this lives.
class Redirected {
 public:
  Redirected(int descriptor, int to) : descriptor_(descriptor), saved_(fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) {
    RequireCall(saved_ >= 0 && dup2(to, descriptor) == descriptor, "dup2");
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() {
    dup2(saved_, descriptor_);
    close(saved_);
  }

 private:
  int descriptor_;
  int saved_;
};

// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    RequireCall(descriptor_ >= 0, "memfd_create");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  int descriptor() const { return descriptor_; }
  std::string Text() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    RequireCall(pread(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()), "pread");
    return text;
  }
  void Fill(const std::string& bytes) const {
    RequireCall(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "write");
    lseek(descriptor_, 0, SEEK_SET);
  }

 private:
  int descriptor_;
};

struct Ended {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// The reading end of a pipe with these bytes and no writer.
int PipeOf(const std::string& bytes) {
  int ends[2];
  RequireCall(pipe2(ends, O_CLOEXEC) == 0, "pipe2");
  RequireCall(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "write");
  close(ends[1]);
  return ends[0];
}

Ended Run(Input* input, const std::filesystem::path& directory) {
  static const int reports = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  static const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (&__sanitizer_set_report_fd != nullptr) {
    __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(reports)));
  }
  std::vector<char*> argv;
  for (std::string& argument : input->arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const MemoryFile out("out"), err("err"), in("in");
  in.Fill(input->file);
  const bool by_pipe = input->file.size() % 2 != 0;
  const int pipe_end = by_pipe ? PipeOf(input->file) : -1;
  rlimit before = {};
  RequireCall(getrlimit(RLIMIT_FSIZE, &before) == 0, "getrlimit");
  rlimit small = before;
  small.rlim_cur = kMostFileBytes;
  RequireCall(chdir(directory.c_str()) == 0, "chdir");
  Ended ended;
  {
    const Redirected to_in(STDIN_FILENO, by_pipe ? pipe_end : in.descriptor());
    const Redirected to_out(STDOUT_FILENO, out.descriptor());
    const Redirected to_err(STDERR_FILENO, err.descriptor());
    setrlimit(RLIMIT_FSIZE, &small);
    LimitMemory(kMostMemory);
    ended.exit_code = PosencMain(static_cast<int>(input->arguments.size()), argv.data());
    LimitMemory(SIZE_MAX);
    setrlimit(RLIMIT_FSIZE, &before);
    static_cast<void>(std::fflush(stdout));
  }
  if (by_pipe) close(pipe_end);
  RequireCall(fchdir(here) == 0, "fchdir");
  ended.out = out.Text();
  ended.err = err.Text();
  return ended;
}

void Check(const Input& input, const Ended& ended, const std::map<std::string, std::string>& files) {
  const auto what = [&](const char* claim) {
    return [&, claim] {
      std::string sentence = std::string(claim) + " (exit code " + std::to_string(ended.exit_code) + "):";
      for (const std::string& argument : input.arguments) sentence += " '" + argument + "'";
      sentence += "\nstderr: " + ended.err;
      for (const auto& [name, bytes] : files) sentence += "\n" + name + ": " + std::to_string(bytes.size()) + " bytes";
      return sentence;
    };
  };
  Require(ended.exit_code >= 0 && ended.exit_code <= 2, what("an exit code that is none of 0, 1 and 2"));
  for (const auto& [name, bytes] : files) {
    Require(name.find(".tmp-") == std::string::npos, what("a temporary file stays"));
  }
  if (ended.exit_code == 0) {
    Require(ended.err.empty(), what("stderr is not empty after a success"));
    Require(files.size() <= 2, what("more than one file was written"));
    return;
  }
  Require(files.size() == 1 && files.begin()->first == "f" && files.begin()->second == input.file,
          what("a failure changes a file"));
  Require(ended.err.starts_with("posenc: ") && ended.err.ends_with(".\n"), what("a failure is no sentence"));
  const bool is_line = std::ranges::all_of(ended.err.substr(0, ended.err.size() - 1),
                                           [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
  Require(is_line, what("a sentence with control characters"));
}

}  // namespace
}  // namespace posenc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;  // NOLINT(google-build-using-namespace): the entry has a C name
  static const Directory directory;
  Input input = Split({reinterpret_cast<const char*>(data), std::min(size, kMostInput)});
  directory.Reset(input.file);
  const Ended ended = Run(&input, directory.path());
  Check(input, ended, directory.Files());
  return 0;
}
