// posenc similarity: options go in, the dot products of encodings by their offset come out, as numbers or as a picture.

#include "src/cli/similarity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "posenc/posenc.h"
#include "posenc/presets.h"
#include "src/cli/chart.h"
#include "src/cli/curve.h"
#include "src/cli/line_chart.h"
#include "src/cli/npy.h"
#include "src/cli/numbers.h"
#include "src/cli/output_file.h"
#include "src/cli/png_file.h"
#include "src/cli/position_range.h"
#include "src/cli/progress.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMostInBlock = 4096;

// Cosines that a picture is worth: about two seconds.
constexpr std::uint64_t kMostCosines = std::uint64_t{1} << 28;
constexpr std::uint64_t kFewestLooks = 1024;

using UseBlock = std::function<Outcome(std::span<const std::int64_t> offsets, std::span<const double> values)>;

Outcome ForEachBlock(const Encoder& encoder, const PositionRange& offsets, const UseBlock& use) {
  std::array<std::int64_t, kMostInBlock> block;
  std::array<double, kMostInBlock> values;
  for (std::uint64_t begin = 0; begin < offsets.count;) {
    const std::size_t now = static_cast<std::size_t>(std::min<std::uint64_t>(kMostInBlock, offsets.count - begin));
    for (std::size_t i = 0; i < now; ++i) block[i] = offsets.at(begin + i);
    const std::span<const std::int64_t> asked(block.data(), now);
    const std::span<double> got(values.data(), now);
    const Error error = encoder.Similarity(asked, got);
    if (error != Error::kNone) return Failure(SentenceOf(error));
    Outcome outcome = use(asked, got);
    if (!outcome.done()) return outcome;
    begin += now;
  }
  return Done();
}

// Writes what append makes of each block to file, with progress on a terminal.
template <class Append>
Outcome WriteBlocks(const Encoder& encoder, const PositionRange& offsets, const Append& append, OutputFile* file) {
  Progress progress(offsets.count, Progress::Unit::kOffsets);
  std::string bytes;
  return ForEachBlock(encoder, offsets, [&](std::span<const std::int64_t> asked, std::span<const double> values) {
    bytes.clear();
    append(asked, values, &bytes);
    Outcome written = file->Write(bytes.data(), bytes.size());
    progress.Advance(values.size());
    return written;
  });
}

// Refuses what no file can hold, with least_bytes for each offset after the first head_bytes.
Outcome ExpectFile(const PositionRange& offsets, std::size_t head_bytes, std::size_t least_bytes) {
  if (offsets.count <= (kLargestFile - head_bytes) / least_bytes) return Done();
  return BadCommandLine("--offsets asks for " + std::to_string(offsets.count) +
                        " numbers, and a file must be smaller than 2^63 bytes");
}

struct Request {
  Encoder encoder;
  PositionRange offsets;
  std::string title;  // of a picture
  std::size_t width = 1200;
  std::size_t height = 800;
  std::string output;
};

Outcome WriteCsv(const Request& request) {
  constexpr std::string_view kHead = "offset,similarity\n";
  constexpr std::size_t kShortestLine = std::string_view("0,1\n").size();
  OutputFile file;
  Outcome outcome = ExpectFile(request.offsets, kHead.size(), kShortestLine);
  // A terminal can show it.
  if (outcome.done()) outcome = request.output == "-" ? file.OpenStdout() : file.Open(request.output);
  if (outcome.done()) outcome = file.Write(kHead.data(), kHead.size());
  if (!outcome.done()) return outcome;
  const auto append = [](std::span<const std::int64_t> offsets, std::span<const double> values, std::string* bytes) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bytes->append(std::to_string(offsets[i])).append(",").append(FormatNumber(values[i])).append("\n");
    }
  };
  outcome = WriteBlocks(request.encoder, request.offsets, append, &file);
  return outcome.done() ? file.Commit() : outcome;
}

Outcome WriteNpy(const Request& request) {
  OutputFile file;
  const std::string header = NpyHeader("f8", std::array{request.offsets.count});
  Outcome outcome = ExpectFile(request.offsets, header.size(), sizeof(double));
  if (outcome.done()) outcome = file.Open(request.output);
  if (outcome.done()) outcome = file.Write(header.data(), header.size());
  if (!outcome.done()) return outcome;
  const auto append = [](std::span<const std::int64_t>, std::span<const double> values, std::string* bytes) {
    bytes->append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  };
  outcome = WriteBlocks(request.encoder, request.offsets, append, &file);
  return outcome.done() ? file.Commit() : outcome;
}

// The offsets in ascending order. count is not 0.
PositionRange Ascending(const PositionRange& offsets) noexcept {
  if (offsets.step > 0) return offsets;
  const std::uint64_t step = 0 - static_cast<std::uint64_t>(offsets.step);
  return {.start = offsets.at(offsets.count - 1), .step = static_cast<std::int64_t>(step), .count = offsets.count};
}

// Evenly spaced ones of the offsets, which ascend, so many that their cosines are at most about kMostCosines. The first
// one is chosen so that the offset nearest to 0 from below is among them: the peak of every curve is one offset wide.
PositionRange LookedAt(const Encoder& encoder, const PositionRange& offsets) noexcept {
  const std::uint64_t frequencies = encoder.spec().dim / 2;
  const std::uint64_t most = std::max(kMostCosines / std::max<std::uint64_t>(frequencies, 1), kFewestLooks);
  const std::uint64_t stride = (offsets.count - 1) / most + 1;
  const std::uint64_t below_zero = offsets.start < 0 ? 0 - static_cast<std::uint64_t>(offsets.start) : 0;
  const std::uint64_t nearest = std::min(below_zero / static_cast<std::uint64_t>(offsets.step), offsets.count - 1);
  const std::uint64_t first = nearest % stride;
  PositionRange looked_at = offsets;
  looked_at.start = offsets.at(first);
  looked_at.count = (offsets.count - 1 - first) / stride + 1;
  // Modulo 2^64, as PositionRange::at computes; no look is beyond the last offset.
  looked_at.step = static_cast<std::int64_t>(stride * static_cast<std::uint64_t>(offsets.step));
  return looked_at;
}

Outcome WriteChart(const Request& request) {
  if (request.offsets.count == 0) return BadCommandLine("--offsets must hold at least one offset to draw");
  OutputFile file;
  Outcome outcome = file.Open(request.output);
  if (!outcome.done()) return outcome;
  const PositionRange offsets = Ascending(request.offsets);
  LineChart chart{.title = request.title, .across_title = "offset", .up_title = "similarity", .lowest = offsets.start};
  chart.span = static_cast<std::uint64_t>(offsets.at(offsets.count - 1)) - static_cast<std::uint64_t>(offsets.start);

  Curve curve;
  const auto add = [&](std::span<const std::int64_t> asked, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        return BadCommandLine("--amplitude must be one whose square times dim/2 a double holds, for a picture, not " +
                              FormatNumber(request.encoder.spec().amplitude));
      }
      const std::uint64_t distance = static_cast<std::uint64_t>(asked[i]) - static_cast<std::uint64_t>(chart.lowest);
      curve.Add(chart.span == 0 ? 0.5 : static_cast<double>(distance) / static_cast<double>(chart.span), values[i]);
    }
    return Done();
  };
  outcome = ForEachBlock(request.encoder, LookedAt(request.encoder, offsets), add);
  if (!outcome.done()) return outcome;
  return WritePng(DrawLineChart(chart, curve, request.width, request.height), chart.title, &file);
}

struct Format {
  std::string_view name;  // also the ending of a file's name
  Outcome (*write)(const Request& request);
};

constexpr Format kFormats[] = {{"png", WriteChart}, {"csv", WriteCsv}, {"npy", WriteNpy}};
constexpr const Format& kPicture = kFormats[0];
constexpr const Format& kText = kFormats[1];

// What --format names, what the output ends in, or text for stdout. An empty output is refused as others are.
Outcome FindFormat(const SimilarityTexts& texts, const Format** format) {
  *format = &kText;
  if (!texts.format && (texts.output == "-" || texts.output.empty())) return Done();
  std::string ending;
  if (texts.format) {
    ending = *texts.format;
  } else if (const std::size_t point = texts.output.find_last_of("./");
             point != std::string::npos && texts.output[point] == '.') {
    ending = texts.output.substr(point + 1);
    for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const Format& candidate : kFormats) {
    if (candidate.name == ending) {
      *format = &candidate;
      return Done();
    }
  }
  if (texts.format) return BadCommandLine("--format must be " + SimilarityFormatNames() + ", not " + Quoted(ending));
  return BadCommandLine("-o must end in .png, .csv or .npy where no --format is given, not be " + Quoted(texts.output));
}

Outcome ReadSize(const char* option, const std::optional<std::string>& text, const Format& format, std::size_t* size) {
  if (!text) return Done();
  if (&format != &kPicture) return BadCommandLine(std::string(option) + " must be left out where no PNG is drawn");
  return ParseCount(option, *text, kSmallestPicture, kLargestPicture, size);
}

}  // namespace

std::string SimilarityFormatNames() {
  std::string names;
  for (const Format& format : kFormats) {
    if (!names.empty()) names += &format == std::end(kFormats) - 1 ? " or " : ", ";
    names += format.name;
  }
  return names;
}

Outcome WriteSimilarity(const SimilarityTexts& texts) {
  const Format* format = nullptr;
  Request request;
  request.output = texts.output;
  presets::Preset preset;
  Outcome outcome = FindFormat(texts, &format);
  if (outcome.done()) outcome = ReadSize("--width", texts.width, *format, &request.width);
  if (outcome.done()) outcome = ReadSize("--height", texts.height, *format, &request.height);
  if (outcome.done()) outcome = ParsePositionRange("--offsets", texts.offsets.value_or(""), &request.offsets);
  if (outcome.done()) outcome = MakeEncoder(texts.spec, &preset, &request.encoder);
  if (!outcome.done()) return outcome;
  request.title = Describe(texts.spec, request.encoder.spec(), "offsets", request.offsets);
  // Rules that only this command has.
  const Error error = request.encoder.Similarity({}, {});
  return error == Error::kNone ? format->write(request) : BadCommandLine(SentenceOf(error));
}

}  // namespace posenc::cli
