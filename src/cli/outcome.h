// How a command ended: what every part of the program returns to main, an exit code with the sentence for stderr.

#ifndef POSENC_SRC_CLI_OUTCOME_H_
#define POSENC_SRC_CLI_OUTCOME_H_

#include <string>
#include <utility>

namespace posenc::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailure = 1;      // the command line was good, the machine could not do it
inline constexpr int kExitCommandLine = 2;  // the command line asks for something that is not allowed

struct [[nodiscard]] Outcome {
  int exit_code = kExitDone;
  std::string sentence = {};  // without a final full stop; empty when done
  bool done() const noexcept { return exit_code == kExitDone; }
};

inline Outcome Done() { return {}; }
inline Outcome Failure(std::string sentence) { return {kExitFailure, std::move(sentence)}; }
inline Outcome BadCommandLine(std::string sentence) { return {kExitCommandLine, std::move(sentence)}; }

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_OUTCOME_H_
