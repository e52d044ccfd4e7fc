// Options that the commands share: their texts go in, an encoder and numbers come out, or the sentence that names the
// option.

#ifndef POSENC_SRC_CLI_SPEC_OPTIONS_H_
#define POSENC_SRC_CLI_SPEC_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "posenc/posenc.h"
#include "posenc/presets.h"
#include "src/cli/outcome.h"
#include "src/cli/position_range.h"

namespace posenc::cli {

inline constexpr std::size_t kLargestDim = std::size_t{1} << 26;  // of Spec::dim

// What was typed. An option that was not given leaves the value of the preset, and without one the default of Spec.
struct SpecTexts {
  std::optional<std::string> preset;
  std::optional<std::string> dim;
  std::optional<std::string> base;
  std::optional<std::string> layout;
  std::optional<std::string> spacing;
  std::optional<std::string> inv_freq;  // a,b,c or @FILE
  std::optional<std::string> position_scale;
  std::optional<std::string> amplitude;
  std::optional<std::string> odd;
  bool cos_first = false;
  bool cos_first_given = false;
};

// dim, as far as it is an integer; the library knows which ones are allowed.
Outcome ParseDim(const SpecTexts& texts, std::size_t* dim);

// An encoder for the options. dim has been given. *preset is that of the options, with their values in its spec.
Outcome MakeEncoder(const SpecTexts& texts, presets::Preset* preset, Encoder* encoder);

// The sentence of a rule of the library, with options and their values in place of its fields, arguments and
// enumerators.
std::string SentenceOf(Error error);

// An unsigned integer from least to most.
Outcome ParseCount(const char* option, const std::string& text, std::size_t least, std::size_t most,
                   std::size_t* count);

// The value of option; without a text, *value stays.
Outcome ParseInteger(const char* option, const std::optional<std::string>& text, std::int64_t* value);

// One line about the encoding: the preset of texts, dim, the positions (or as `what` calls them) and every field of
// spec that is not its default.
std::string Describe(const SpecTexts& texts, const Spec& spec, const char* what, const PositionRange& positions);

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_SPEC_OPTIONS_H_
