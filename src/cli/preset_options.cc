// Presets by name: the value of --preset goes in, the preset or a sentence with the nearest names comes out; and the
// list of all.

#include "src/cli/preset_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/numbers.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMostNear = 4;
constexpr std::size_t kLongestName = 64;  // of a text that is worth a comparison

// As the names of presets are written.
std::string Hyphenated(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return name;
}

// The fewest insertions, deletions and replacements of a character that make b of a (Levenshtein).
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

// Names that hold the text, are held by it, or differ by few letters; the nearest first.
std::vector<std::string_view> NearNames(std::string_view text) {
  constexpr std::size_t kTelling = 3;  // characters that are no accident
  const std::string typed = Hyphenated(text.substr(0, kLongestName));
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const presets::NamedPreset& preset : presets::All()) {
    const std::size_t distance = EditDistance(typed, preset.name);
    const bool holds = typed.size() >= kTelling && preset.name.find(typed) != std::string_view::npos;
    const bool held = preset.name.size() >= kTelling && typed.find(preset.name) != std::string_view::npos;
    if (holds || held || distance <= 1 + preset.name.size() / 4) near.emplace_back(distance, preset.name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string_view>::first);
  std::vector<std::string_view> names;
  for (const auto& [distance, name] : near) {
    if (names.size() < kMostNear) names.push_back(name);
  }
  return names;
}

// What RangeOf begins with, of a length T.
std::string FirstPosition(const presets::Preset& preset) {
  return preset.order == presets::Order::kAscending ? std::to_string(preset.first_position) : "T-1";
}

std::string XScale(const presets::Preset& preset) {
  const bool is_root = preset.x_scale != 1.0 && preset.x_scale == std::sqrt(static_cast<double>(preset.spec.dim));
  return is_root ? "sqrt-dim" : FormatNumber(preset.x_scale);
}

}  // namespace

Outcome FindPreset(const std::optional<std::string>& name, const presets::NamedPreset** preset) {
  *preset = name ? presets::Find(*name) : nullptr;
  if (!name || *preset != nullptr) return Done();
  std::string sentence = "--preset must be a name that 'posenc presets' lists, not " + Quoted(*name);
  const std::vector<std::string_view> near = NearNames(*name);
  for (std::size_t i = 0; i < near.size(); ++i) {
    sentence += i == 0 ? "; near it: " : ", ";
    sentence += near[i];
  }
  return BadCommandLine(std::move(sentence));
}

std::string PresetList() {
  constexpr std::size_t kDim = 64;  // one that every preset has
  std::vector<std::array<std::string, 4>> lines = {{"NAME", "FIRST", "X-SCALE", "WHAT"}};
  for (const presets::NamedPreset& preset : presets::All()) {
    const presets::Preset made = preset.make(kDim);
    lines.push_back({std::string(preset.name), FirstPosition(made), XScale(made), std::string(preset.about)});
  }
  std::array<std::size_t, 4> widths = {};
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c + 1 < line.size(); ++c) {
      text += line[c];
      text.append(widths[c] + 2 - line[c].size(), ' ');
    }
    text += line.back() + "\n";
  }
  return text;
}

}  // namespace posenc::cli
