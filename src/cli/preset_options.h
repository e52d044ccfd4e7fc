// Presets by name: the value of --preset goes in, the preset or a sentence with the nearest names comes out; and the
// list of all.

#ifndef POSENC_SRC_CLI_PRESET_OPTIONS_H_
#define POSENC_SRC_CLI_PRESET_OPTIONS_H_

#include <optional>
#include <string>

#include "posenc/presets.h"
#include "src/cli/outcome.h"

namespace posenc::cli {

// *preset is null without a name.
Outcome FindPreset(const std::optional<std::string>& name, const presets::NamedPreset** preset);

// A line for each preset: its name, where its positions begin, what embeddings are multiplied by, and what it is.
std::string PresetList();

}  // namespace posenc::cli

#endif  // POSENC_SRC_CLI_PRESET_OPTIONS_H_
