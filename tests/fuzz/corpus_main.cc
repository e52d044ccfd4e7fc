// Fuzz room: the main function of a fuzz target where libFuzzer is not there. Files and directories go in, and each
// file is given to the target once, in alphabetical order; a target ends the process at the first claim that does not
// hold.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

std::vector<std::filesystem::path> FilesOf(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  // Absolute, for a target may change the directory.
  std::vector<std::filesystem::path> files = FilesOf(argc, argv);
  for (std::filesystem::path& file : files) file = std::filesystem::absolute(file);
  // An empty input is one too, and the corpus of libFuzzer never has it.
  LLVMFuzzerTestOneInput(nullptr, 0);
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream.is_open()) {
      static_cast<void>(std::fprintf(stderr, "cannot read %s\n", file.c_str()));
      return 1;
    }
    // Told before: the last name is that of the input that ends the process.
    static_cast<void>(std::fprintf(stderr, "%s\n", file.filename().c_str()));
    // A copy of exactly its size, so that AddressSanitizer and valgrind see a read past its end.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  static_cast<void>(std::printf("%zu inputs\n", files.size() + 1));
  return files.empty() ? 1 : 0;  // a corpus that is not found must not pass
}
