// Input of the program: a path goes in, bytes and sentences that name the path come out.

#ifndef POSENC_SRC_CLI_INPUT_FILE_H_
#define POSENC_SRC_CLI_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "src/cli/outcome.h"

namespace posenc::cli {

// "-" is stdin. Reading begins where the descriptor stands, which is offset 0 here.
class InputFile {
 public:
  InputFile() = default;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // option is what sentences put before the path; empty for an argument without a name.
  Outcome Open(const std::string& option, const std::string& path);
  // Makes SeekTo possible: what is no regular file is copied to a temporary file that has no name.
  Outcome MakeSeekable();
  Outcome SeekTo(std::uint64_t offset);
  // Reads size bytes; *got is fewer at the end of the file only.
  Outcome Read(void* data, std::size_t size, std::size_t* got);
  // Reads size bytes or fails.
  Outcome ReadAll(void* data, std::size_t size);
  // Fails if there is a byte left.
  Outcome ExpectEnd();

  // Bytes of a regular file; nothing for a pipe or a device.
  std::optional<std::uint64_t> size() const noexcept { return size_; }
  // The file as sentences call it.
  const std::string& named() const noexcept { return named_; }

 private:
  Outcome Failed(const char* verb, int error_number) const;
  // Finds what the descriptor refers to.
  Outcome Look();

  std::string named_;
  std::optional<std::uint64_t> size_;
  std::int64_t begin_ = 0;  // of offset 0 in the file that the descriptor refers to
  int descriptor_ = -1;
};

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_INPUT_FILE_H_
