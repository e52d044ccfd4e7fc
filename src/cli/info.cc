// posenc info: nothing goes in, what this build is and runs on comes out.

#include "src/cli/info.h"

#include "posenc/posenc.h"
#include "src/cli/element_type.h"

namespace posenc::cli {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* kCompiler = "GCC " __VERSION__;
#else
constexpr const char* kCompiler = "not known";
#endif

}  // namespace

std::string InfoText() {
  const std::string build_type = POSENC_BUILD_TYPE;
  std::string text = "version:   posenc " POSENC_VERSION "\n";
  text += std::string("target:    ") + ActiveTarget() + " (SIMD instructions that calls run on, chosen at run time)\n";
  text += "contract:  every element is the exact value of the formula, rounded once to the output type\n";
  text += "types:     " + ElementTypeNames() + "\n";
  text += std::string("compiler:  ") + kCompiler + "\n";
  text += "build:     " + (build_type.empty() ? std::string("no build type") : build_type) + "\n";
  return text;
}

}  // namespace posenc::cli
