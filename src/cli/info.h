// posenc info: nothing goes in, what this build is and runs on comes out.

#ifndef POSENC_SRC_CLI_INFO_H_
#define POSENC_SRC_CLI_INFO_H_

#include <string>

namespace posenc::cli {

// Lines of "name: value".
std::string InfoText();

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_INFO_H_
