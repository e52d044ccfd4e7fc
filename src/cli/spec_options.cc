// Options that the commands share: their texts go in, an encoder and numbers come out, or the sentence that names the
// option.

#include "src/cli/spec_options.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/numbers.h"
#include "src/cli/preset_options.h"

namespace posenc::cli {
namespace {

// A file of frequencies is text of at most this many bytes: two million numbers of 17 digits.
constexpr std::size_t kLongestFrequencyText = std::size_t{48} << 20;

template <class Enum>
struct Choice {
  const char* name;
  Enum value;
};

constexpr Choice<Layout> kLayouts[] = {{"interleaved", Layout::kInterleaved}, {"split", Layout::kSplit}};
constexpr Choice<Spacing> kSpacings[] = {{"exclusive", Spacing::kExclusive}, {"inclusive", Spacing::kInclusive}};
constexpr Choice<OddDim> kOdds[] = {{"error", OddDim::kError}, {"zero", OddDim::kZero}, {"drop-cos", OddDim::kDropCos}};

template <class Enum>
const char* NameOf(Enum value, std::span<const Choice<Enum>> choices) noexcept {
  for (const Choice<Enum>& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return "?";
}

template <class Enum>
Outcome ParseChoice(const char* option, const std::optional<std::string>& text, std::span<const Choice<Enum>> choices,
                    Enum* value) {
  if (!text) return Done();
  std::string allowed;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (*text == choices[i].name) {
      *value = choices[i].value;
      return Done();
    }
    if (i > 0) allowed += i + 1 == choices.size() ? " or " : ", ";
    allowed += choices[i].name;
  }
  return BadCommandLine(std::string(option) + " must be " + allowed + ", not " + Quoted(*text));
}

Outcome ParseRealText(const char* option, std::string_view text, double* value) {
  switch (ParseNumber(text, value)) {
    case NumberError::kNone:
      return Done();
    case NumberError::kNotANumber:
      return BadCommandLine(std::string(option) + " must be a number such as 0.5 or 1e4, not " + Quoted(text));
    case NumberError::kOutOfRange:
      break;
  }
  return BadCommandLine(std::string(option) + " must be a number that a double holds, not " + Quoted(text));
}

// Without a text, *value stays.
Outcome ParseReal(const char* option, const std::optional<std::string>& text, double* value) {
  return text ? ParseRealText(option, *text, value) : Done();
}

struct FileCloser {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

Outcome ReadText(const std::string& path, std::string* text) {
  const auto failed = [&path] {
    return Failure("--inv-freq: cannot read " + Quoted(path) + ": " + std::strerror(errno));
  };
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "re"));
  if (!file) return failed();
  char block[65536];
  std::size_t size = 0;
  while ((size = std::fread(block, 1, sizeof(block), file.get())) > 0) {
    text->append(block, size);
    if (text->size() > kLongestFrequencyText) {
      return Failure("--inv-freq: " + Quoted(path) + " must be at most 48 MiB of text");
    }
  }
  return std::ferror(file.get()) != 0 ? failed() : Done();
}

// Numbers separated by commas, blanks and ends of lines in a file, by commas alone on the command line.
Outcome ParseFrequencies(const std::string& argument, std::vector<double>* frequencies) {
  const bool from_file = argument.starts_with('@');
  std::string text;
  if (from_file) {
    Outcome read = ReadText(argument.substr(1), &text);
    if (!read.done()) return read;
  }
  std::string_view list = from_file ? std::string_view(text) : std::string_view(argument);
  if (from_file && list.starts_with(kByteOrderMark)) list.remove_prefix(kByteOrderMark.size());
  const std::string_view separators = from_file ? ", \t\r\n" : ",";
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    const std::string_view item = list.substr(begin, end - begin);
    begin = end + 1;
    if (from_file && item.empty()) continue;
    double frequency = 0.0;
    Outcome parsed = ParseRealText("every value of --inv-freq", item, &frequency);
    if (!parsed.done()) return parsed;
    frequencies->push_back(frequency);
  }
  if (frequencies->empty()) return BadCommandLine("--inv-freq: " + Quoted(argument.substr(1)) + " holds no number");
  return Done();
}

// A list of frequencies leaves nothing for --base and --spacing to do.
Outcome RefuseBesideFrequencies(const SpecTexts& texts) {
  const char* const given = texts.base ? "--base" : texts.spacing ? "--spacing" : nullptr;
  if (given == nullptr) return Done();
  const std::string rule = std::string(given) + " must be left out with ";
  if (texts.inv_freq) return BadCommandLine(rule + "--inv-freq, which takes its place");
  return BadCommandLine(rule + "--preset " + *texts.preset + ", whose frequencies are a list that only --inv-freq " +
                        "can replace");
}

// Whether the preset makes nothing of an odd dim, whatever --odd says: a NaN for its base stands for that.
bool IsOddBeyondPreset(const Spec& spec) noexcept {
  return spec.inv_freq.empty() && std::isnan(spec.base) && spec.dim % 2 != 0 && spec.dim <= kLargestDim;
}

// The sentence about a preset whose own frequencies, a list, broke a rule of the library, which would name an option
// that was not given.
Outcome RefusalOfPreset(const SpecTexts& texts, const Spec& spec) {
  const std::string name = "--preset " + *texts.preset;
  if (spec.dim % 2 != 0 && spec.odd == OddDim::kDropCos) {
    return BadCommandLine("--odd must not be drop-cos with " + name + ", which has a cosine for every sine");
  }
  const auto beyond = std::ranges::find_if(
      spec.inv_freq, [&](double frequency) { return std::fabs(frequency * spec.position_scale) > 0x1p64; });
  // Lists of all dims begin alike where their first frequencies are the lowest.
  const std::size_t pairs = static_cast<std::size_t>(beyond - spec.inv_freq.begin());
  const std::string limit = " must be at most 2^64 in absolute value";
  if (pairs == 0) {
    return BadCommandLine("--position-scale must be closer to 0 with " + name + ": every frequency times it" + limit);
  }
  const std::size_t dim = 2 * pairs + (spec.odd == OddDim::kZero ? 1 : 0);
  return BadCommandLine(
      "--dim must be at most " + std::to_string(dim) + " with " + name +
      (beyond == spec.inv_freq.end() ? ", whose frequencies end there" : ": every frequency" + limit));
}

// Fields of one number or name.
Outcome ReadFields(const SpecTexts& texts, Spec* spec) {
  Outcome outcome = spec->inv_freq.empty() ? Done() : RefuseBesideFrequencies(texts);
  if (outcome.done()) outcome = ParseReal("--base", texts.base, &spec->base);
  if (outcome.done()) outcome = ParseReal("--position-scale", texts.position_scale, &spec->position_scale);
  if (outcome.done()) outcome = ParseReal("--amplitude", texts.amplitude, &spec->amplitude);
  if (outcome.done()) outcome = ParseChoice<Layout>("--layout", texts.layout, kLayouts, &spec->layout);
  if (outcome.done()) outcome = ParseChoice<Spacing>("--spacing", texts.spacing, kSpacings, &spec->spacing);
  if (outcome.done()) outcome = ParseChoice<OddDim>("--odd", texts.odd, kOdds, &spec->odd);
  return outcome;
}

}  // namespace

std::string SentenceOf(Error error) {
  // Longer names stand before those they begin with.
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"for Similarity dim", "for similarity --dim"},
      {"Spec::dim", "--dim"},
      {"Spec::base", "--base"},
      {"Spec::spacing", "--spacing"},
      {"Spec::inv_freq", "--inv-freq"},
      {"Spec::position_scale", "--position-scale"},
      {"Spec::amplitude", "--amplitude"},
      {"Spec::layout", "--layout"},
      {"Spec::odd", "--odd"},
      {"kZero", "zero"},
      {"kDropCos", "drop-cos"},
      {"must be empty or hold", "must be left out or hold"},
      {"start + (count - 1) * step", "--start + (rows - 1) * --step"},
      {"x_scale", "--x-scale"},
  };
  std::string sentence = Message(error);
  for (const auto& [field, option] : kNames) {
    for (std::size_t at = 0; (at = sentence.find(field, at)) != std::string::npos; at += option.size()) {
      sentence.replace(at, field.size(), option);
    }
  }
  return sentence;
}

Outcome ParseCount(const char* option, const std::string& text, std::size_t least, std::size_t most,
                   std::size_t* count) {
  if (ParseNumber(text, count) == NumberError::kNone && *count >= least && *count <= most) return Done();
  return BadCommandLine(std::string(option) + " must be an integer from " + std::to_string(least) + " to " +
                        std::to_string(most) + ", not " + Quoted(text));
}

Outcome ParseInteger(const char* option, const std::optional<std::string>& text, std::int64_t* value) {
  if (!text || ParseNumber(*text, value) == NumberError::kNone) return Done();
  return BadCommandLine(std::string(option) + " must be a 64-bit integer such as 0 or -5, not " + Quoted(*text));
}

Outcome ParseDim(const SpecTexts& texts, std::size_t* dim) {
  const std::string text = texts.dim.value_or("");
  // Beyond 64 bits it is the largest integer, which the library refuses too.
  switch (ParseNumber(text, dim)) {
    case NumberError::kNone:
      return Done();
    case NumberError::kOutOfRange:
      *dim = std::numeric_limits<std::size_t>::max();
      return Done();
    case NumberError::kNotANumber:
      break;
  }
  return BadCommandLine("--dim must be an integer such as 512, not " + Quoted(text));
}

Outcome MakeEncoder(const SpecTexts& texts, presets::Preset* preset, Encoder* encoder) {
  const presets::NamedPreset* named = nullptr;
  std::size_t dim = 0;
  std::vector<double> inv_freq;
  Outcome outcome = FindPreset(texts.preset, &named);
  if (outcome.done()) outcome = ParseDim(texts, &dim);
  if (outcome.done() && texts.inv_freq) outcome = ParseFrequencies(*texts.inv_freq, &inv_freq);
  if (!outcome.done()) return outcome;
  *preset = named == nullptr ? presets::Preset{} : named->make(dim);

  Spec& spec = preset->spec;
  spec.dim = dim;  // a preset may have a list that ends before it
  if (texts.inv_freq) spec.inv_freq = std::move(inv_freq);
  if (texts.cos_first_given) spec.cos_first = texts.cos_first;
  if (IsOddBeyondPreset(spec)) return BadCommandLine("--dim must be even with --preset " + *texts.preset);
  outcome = ReadFields(texts, &spec);
  if (!outcome.done()) return outcome;

  Result<Encoder> made = Encoder::Make(spec);
  // A preset that found no memory for its frequencies has no base.
  const bool is_starved = made.error == Error::kBase && named != nullptr && !texts.base;
  if (made.error == Error::kMemory || is_starved) {
    return Failure("--dim " + std::to_string(dim) +
                   " needs more memory than this machine gives: its tables take about 660 bytes a frequency");
  }
  const bool is_of_list = made.error == Error::kInvFreqSize || made.error == Error::kFrequency;
  if (is_of_list && !spec.inv_freq.empty() && !texts.inv_freq) return RefusalOfPreset(texts, spec);
  if (!made) return BadCommandLine(SentenceOf(made.error));
  *encoder = std::move(made.value);
  return Done();
}

std::string Describe(const SpecTexts& texts, const Spec& spec, const char* what, const PositionRange& positions) {
  const Spec standard;
  std::string line = texts.preset ? "preset " + *texts.preset + ", " : "";
  line += "dim " + std::to_string(spec.dim) + ", ";
  if (positions.count == 0) {
    line += std::string("no ") + what;
  } else {
    line += std::string(what) + " " + std::to_string(positions.start) + " to " +
            std::to_string(positions.at(positions.count - 1));
  }
  if (positions.step != 1) line += " step " + std::to_string(positions.step);
  line += spec.inv_freq.empty() ? ", base " + FormatNumber(spec.base) : std::string(", own frequencies");
  line += std::string(", ") + NameOf<Layout>(spec.layout, kLayouts);
  if (spec.cos_first) line += ", cos first";
  if (spec.inv_freq.empty() && spec.spacing != standard.spacing) {
    line += std::string(", ") + NameOf<Spacing>(spec.spacing, kSpacings);
  }
  if (spec.position_scale != standard.position_scale) line += ", scale " + FormatNumber(spec.position_scale);
  if (spec.amplitude != standard.amplitude) line += ", amplitude " + FormatNumber(spec.amplitude);
  if (spec.dim % 2 != 0) line += std::string(", odd ") + NameOf<OddDim>(spec.odd, kOdds);
  return line;
}

}  // namespace posenc::cli
