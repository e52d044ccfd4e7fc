// Options that name a range of positions: their texts and a preset go in, the range comes out.

#include "src/cli/position_options.h"

#include <cstddef>

#include "posenc/presets.h"
#include "src/cli/preset_options.h"

namespace posenc::cli {

Outcome ReadPositions(const PositionTexts& positions, const SpecTexts& texts, PositionRange* range) {
  if (positions.positions) return ParsePositionRange("--positions", *positions.positions, range);
  constexpr std::size_t kLongest = std::size_t{1} << 62;  // of RangeOf
  std::size_t length = 0;
  const presets::NamedPreset* named = nullptr;
  Outcome outcome = ParseCount("--length", positions.length.value_or(""), 0, kLongest, &length);
  if (outcome.done()) outcome = FindPreset(texts.preset, &named);
  if (!outcome.done()) return outcome;
  // Where positions begin and which way they go does not depend on the dim, which may be one that takes long to make.
  constexpr std::size_t kAnyDim = 2;
  const presets::Range rows = RangeOf(named == nullptr ? presets::Preset{} : named->make(kAnyDim), length);
  *range = {.start = rows.start, .step = rows.step, .count = rows.count};
  return Done();
}

}  // namespace posenc::cli
