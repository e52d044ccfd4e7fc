// Options that the commands share: their texts go in, an encoder and numbers come out, or the sentence that names the
// option.

#ifndef POSENC_SRC_CLI_SPEC_OPTIONS_H_
#define POSENC_SRC_CLI_SPEC_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "posenc/posenc.h"
#include "src/cli/outcome.h"
#include "src/cli/position_range.h"

namespace posenc::cli {

// What was typed. An option that was not given leaves the default of Spec.
struct SpecTexts {
  std::optional<std::string> dim;
  std::optional<std::string> base;
  std::optional<std::string> layout;
  std::optional<std::string> spacing;
  std::optional<std::string> inv_freq;  // a,b,c or @FILE
  std::optional<std::string> position_scale;
  std::optional<std::string> amplitude;
  std::optional<std::string> odd;
  bool cos_first = false;
};

// An encoder for the options. dim has been given.
Outcome MakeEncoder(const SpecTexts& texts, Encoder* encoder);

// The sentence of a rule of the library, with options and their values in place of its fields, arguments and
// enumerators.
std::string SentenceOf(Error error);

// An unsigned integer from least to most.
Outcome ParseCount(const char* option, const std::string& text, std::size_t least, std::size_t most,
                   std::size_t* count);

// The value of option; without a text, *value stays.
Outcome ParseReal(const char* option, const std::optional<std::string>& text, double* value);
Outcome ParseInteger(const char* option, const std::optional<std::string>& text, std::int64_t* value);

// One line about the encoding: dim, positions and every field that is not its default.
std::string Describe(const Spec& spec, const PositionRange& positions);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_SPEC_OPTIONS_H_
