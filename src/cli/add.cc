// posenc add: a .npy of rows and options go in, a .npy of the rows with their position encodings added comes out.

#include "src/cli/add.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "posenc/posenc.h"
#include "posenc/presets.h"
#include "src/cli/element_type.h"
#include "src/cli/input_file.h"
#include "src/cli/npy.h"
#include "src/cli/npy_input.h"
#include "src/cli/numbers.h"
#include "src/cli/output_file.h"
#include "src/cli/position_file.h"
#include "src/cli/position_source.h"
#include "src/cli/progress.h"
#include "src/cli/row_chunks.h"

namespace posenc::cli {
namespace {

// The input as rows: sequences times length of them, dim elements each.
struct RowShape {
  std::uint64_t rows = 0;
  std::uint64_t length = 0;  // rows of a sequence
  std::uint64_t dim = 0;
};

Outcome FindRows(const InputFile& input, const NpyArray& array, RowShape* shape, const ElementType** type) {
  *type = array.is_native ? FindAddable(array.kind) : nullptr;
  if (*type == nullptr) {
    return Failure(input.named() + " must hold " + AddableDescrs() + ", not " + Quoted(array.descr));
  }
  const std::size_t axes = array.shape.size();
  if (axes < 2) {
    return Failure(input.named() + " must have a shape of at least two axes, (..., length, dim), not of " +
                   std::to_string(axes));
  }
  shape->dim = array.shape[axes - 1];
  shape->length = array.shape[axes - 2];
  shape->rows = array.count == 0 ? 0 : array.count / shape->dim;
  return Done();
}

// An encoder for rows of shape.dim elements, whether --dim says so or says nothing.
Outcome MakeRowEncoder(const InputFile& input, const RowShape& shape, SpecTexts texts, presets::Preset* preset,
                       Encoder* encoder) {
  const bool is_implied = !texts.dim;
  if (is_implied) texts.dim = std::to_string(shape.dim);
  Outcome outcome = MakeEncoder(texts, preset, encoder);
  const std::string axis = input.named() + " has a last axis of " + std::to_string(shape.dim);
  // The file broke the rule, not the command line.
  if (is_implied && outcome.sentence.starts_with("--dim ")) return Failure(axis + ": " + outcome.sentence);
  if (!outcome.done() || encoder->spec().dim == shape.dim) return outcome;
  return Failure(axis + ", which must be that of --dim, " + std::to_string(encoder->spec().dim));
}

Outcome ParseScale(const AddTexts& texts, std::uint64_t dim, const presets::Preset& preset, double* scale) {
  if (texts.x_scale == "sqrt-dim") {
    *scale = std::sqrt(static_cast<double>(dim));  // dim is at most 2^26
    return Done();
  }
  *scale = preset.x_scale;
  if (!texts.x_scale) return Done();
  if (ParseNumber(*texts.x_scale, scale) != NumberError::kNone) {
    return BadCommandLine("--x-scale must be sqrt-dim, or a number such as 0.5 or 1e4 that a double holds, not " +
                          Quoted(*texts.x_scale));
  }
  return std::isfinite(*scale) ? Done() : BadCommandLine(SentenceOf(Error::kXScale));
}

// Whether the last of the positions is an int64. count is not 0.
bool IsInt64(const PositionRange& range) noexcept {
  using Limits = std::numeric_limits<std::int64_t>;
  if (range.step == 0) return true;
  const bool up = range.step > 0;
  const std::uint64_t start = static_cast<std::uint64_t>(range.start);
  const std::uint64_t step = static_cast<std::uint64_t>(range.step);
  const std::uint64_t room =
      up ? static_cast<std::uint64_t>(Limits::max()) - start : start - static_cast<std::uint64_t>(Limits::min());
  return (range.count - 1) <= room / (up ? step : 0 - step);
}

// The range of --start and --step, which are those of the preset where they are left out.
Outcome ReadRange(const AddTexts& texts, const RowShape& shape, const presets::Preset& preset, PositionRange* range) {
  if (preset.order == presets::Order::kRelative && !texts.start) {
    return BadCommandLine("--preset " + texts.spec.preset.value_or("") +
                          " must stand with --start or --positions-file here: its program has 2 * length - 1 rows, "
                          "from position length - 1 down, and adds none of them");
  }
  // An array with rows has fewer than 2^62 of them; one without may have any length.
  const presets::Range rows = RangeOf(preset, shape.rows == 0 ? 0 : static_cast<std::size_t>(shape.length));
  *range = {.start = rows.start, .step = rows.step, .count = shape.length};
  Outcome outcome = ParseInteger("--start", texts.start, &range->start);
  if (outcome.done()) outcome = ParseInteger("--step", texts.step, &range->step);
  if (outcome.done() && shape.length != 0 && !IsInt64(*range)) {
    outcome = BadCommandLine(SentenceOf(Error::kRange) + ", with " + std::to_string(shape.length) + " rows");
  }
  return outcome;
}

Outcome OpenPositions(const AddTexts& texts, const InputFile& input, const RowShape& shape,
                      const presets::Preset& preset, std::unique_ptr<PositionSource>* positions) {
  if (!texts.positions_file) {
    PositionRange range;
    Outcome outcome = ReadRange(texts, shape, preset, &range);
    *positions = std::make_unique<RangePositions>(range);
    return outcome;
  }
  if (texts.start || texts.step) return BadCommandLine("--positions-file must stand without --start and --step");
  if (texts.input == "-" && texts.positions_file == "-") {
    return BadCommandLine("--positions-file must be a file when the array comes from stdin");
  }
  auto file = std::make_unique<PositionFile>();
  Outcome outcome = file->Open(*texts.positions_file);
  if (outcome.done() && file->count() != shape.length && file->count() != shape.rows) {
    std::string rule =
        " must hold " + std::to_string(shape.length) + " positions, one for each row of a sequence of " + input.named();
    if (shape.rows != shape.length) rule += ", or " + std::to_string(shape.rows) + ", one for each row of all";
    outcome = Failure(file->named() + rule + ", and holds " + std::to_string(file->count()));
  }
  *positions = std::move(file);
  return outcome;
}

}  // namespace

Outcome AddToNpy(const AddTexts& texts) {
  InputFile input;
  NpyArray array;
  std::uint64_t data_offset = 0;
  RowShape shape;
  const ElementType* type = nullptr;
  presets::Preset preset;
  Encoder encoder;
  Addend addend;
  std::unique_ptr<PositionSource> positions;
  Outcome outcome = input.Open("", texts.input);
  if (outcome.done()) outcome = ReadNpyHeader(&input, AddableDescrs(), &array, &data_offset);
  if (outcome.done()) outcome = FindRows(input, array, &shape, &type);
  if (outcome.done()) outcome = MakeRowEncoder(input, shape, texts.spec, &preset, &encoder);
  if (outcome.done()) outcome = ParseScale(texts, shape.dim, preset, &addend.scale);
  if (outcome.done()) outcome = OpenPositions(texts, input, shape, preset, &positions);
  if (!outcome.done()) return outcome;

  const std::size_t row_bytes = encoder.spec().dim * type->size;
  addend.read = [&](void* data, std::size_t rows) { return input.ReadAll(data, rows * row_bytes); };
  const std::string header = NpyHeader(type->npy_kind, array.shape);
  OutputFile file;
  outcome = file.Open(texts.output);
  if (outcome.done()) outcome = file.Write(header.data(), header.size());
  if (!outcome.done()) return outcome;
  {
    Progress progress(array.data_bytes());
    outcome =
        ForEachChunk(encoder, positions.get(), shape.rows, *type, &addend, [&](const void* data, std::size_t rows) {
          Outcome written = file.Write(data, rows * row_bytes);
          progress.Advance(rows * row_bytes);
          return written;
        });
  }
  if (outcome.done()) outcome = input.ExpectEnd();
  return outcome.done() ? file.Commit() : outcome;
}

}  // namespace posenc::cli
