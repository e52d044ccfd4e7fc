// Output of the program: a path and bytes go in, a complete file or none comes out.
//
// A regular file is written under a temporary name beside it, .NAME.tmp-PID, which takes the final name in Commit. An
// existing file stays as it was until then and is replaced; its other hard links keep the old bytes. The new file has
// the permission bits that the old one had at Open (rwx of user, group and others), also while it is temporary; its
// owner, group and ACL are those of a file that this process makes. Where there was none, the mode is 0666 without the
// bits of the umask. A symbolic link is followed: the link stays and what it points to is replaced. What is there and
// is not a regular file (a pipe, a device) is written directly, and "-" and /dev/stdout are stdout.
//
// Failure, destruction without Commit, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove the temporary file.

#ifndef POSENC_SRC_CLI_OUTPUT_FILE_H_
#define POSENC_SRC_CLI_OUTPUT_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "src/cli/outcome.h"

namespace posenc::cli {

// Bytes. Files end where off_t does.
inline constexpr std::uint64_t kLargestFile = std::numeric_limits<std::int64_t>::max();

// One at a time: the signal handlers know of a single temporary file.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // path is the value of -o, which every sentence names.
  Outcome Open(const std::string& path);
  Outcome OpenStdout();
  Outcome Write(const void* data, std::size_t size);
  // Closes, and gives a temporary file its final name.
  Outcome Commit();

 private:
  // replaced holds the permission bits of the file that is replaced; nothing for a new file.
  Outcome OpenTemporary(std::optional<mode_t> replaced);
  Outcome KeepMode(mode_t mode);
  Outcome Failed(const char* verb, int error_number) const;
  void RemoveTemporary() noexcept;

  std::string named_;      // what the user called it
  std::string final_;      // where it goes, links resolved; empty when written directly
  std::string temporary_;  // empty when there is none
  int descriptor_ = -1;
};

// Makes a closed pipe and a file size limit come back as errors of Write, and removes the temporary file when a signal
// ends the program. Called once, before the first Open.
void InstallSignalHandlers() noexcept;

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_OUTPUT_FILE_H_
