// The program posenc: a command line goes in, a file or a text and an exit code come out.
//
// Exit codes: 0 done, 1 the machine could not do it, 2 the command line is not allowed. A failure prints one sentence
// on stderr.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "src/cli/add.h"
#include "src/cli/element_type.h"
#include "src/cli/encode.h"
#include "src/cli/info.h"
#include "src/cli/outcome.h"
#include "src/cli/output_file.h"
#include "src/cli/plot.h"
#include "src/cli/position_file.h"
#include "src/cli/position_range.h"
#include "src/cli/position_source.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {
namespace {

constexpr int kOptionColumn = 34;  // where the explanations of --help begin

struct EncodeTexts {
  SpecTexts spec;
  std::optional<std::string> positions;
  std::optional<std::string> positions_file;
  std::string dtype = "f32";
  std::string output;
};

struct PlotTexts {
  SpecTexts spec;
  std::optional<std::string> positions;
  std::string width = "1200";
  std::string height = "800";
  std::string output;
};

// All values are taken as texts: numbers and names are read by spec_options, strictly and with the option's name.
CLI::Option* AddText(CLI::App* command, const char* name, std::string* text, const char* value,
                     const std::string& explanation) {
  return command->add_option(name, *text, explanation)->type_name(value);
}

CLI::Option* AddText(CLI::App* command, const char* name, std::optional<std::string>* text, const char* value,
                     const std::string& explanation) {
  return command
      ->add_option_function<std::string>(
          name, [text](const std::string& typed) { *text = typed; }, explanation)
      ->type_name(value);
}

CLI::Option* AddDim(CLI::App* command, SpecTexts* texts) {
  return AddText(command, "--dim", &texts->dim, "N",
                 "Elements in a row, 1 to 67108864; even, unless --odd allows more.");
}

CLI::Option* AddPositions(CLI::App* command, std::optional<std::string>* positions) {
  return AddText(
      command, "--positions", positions, "A:B[:STEP]",
      "The positions A, A+STEP, ... up to and without B: 64-bit\nintegers, also negative; STEP is 1 when left out, "
      "never 0.");
}

void AddPositionsFile(CLI::App* command, std::optional<std::string>* path, const std::string& instead) {
  AddText(command, "--positions-file", path, "FILE",
          instead +
              ": positions from a file, or - for\nstdin. A .npy of any shape holds integers or floats, row\nby row; a "
              "text holds numbers between blanks or new lines,\nand # begins a comment. Integers are exact up to 64 "
              "bits,\nfloats are the number they hold; nan and inf give rows of NaN.");
}

void AddSpecOptions(CLI::App* command, SpecTexts* texts) {
  AddText(command, "--base", &texts->base, "REAL",
          "Frequency k is base^(-2k/dim) radians a position.\nGreater than 0; default 10000.");
  AddText(
      command, "--spacing", &texts->spacing, "RULE",
      "exclusive: w_k = base^(-k/n) with n = dim/2, the paper\n(default). inclusive: w_k = base^(-k/(n-1)), the last "
      "is 1/base.");
  AddText(
      command, "--inv-freq", &texts->inv_freq, "A,B,...|@FILE",
      "The frequencies themselves, in radians a position, instead\nof --base and --spacing: one for each pair. @FILE "
      "reads them\nfrom a text, separated by blanks, commas or new lines.");
  AddText(command, "--position-scale", &texts->position_scale, "REAL", "Multiplies every position; default 1.");
  AddText(command, "--amplitude", &texts->amplitude, "REAL", "Multiplies every sine and cosine; default 1.");
  AddText(command, "--layout", &texts->layout, "NAME",
          "interleaved: sin cos sin cos ... (default).\nsplit: all sines, then all cosines.");
  command->add_flag("--cos-first", texts->cos_first, "Cosines take the places of the sines, and the other way round.");
  AddText(command, "--odd", &texts->odd, "RULE",
          "An odd --dim is refused (error, default), gets a last\nelement 0 (zero), or a last sine without its cosine "
          "(drop-cos).");
}

void AddOutput(CLI::App* command, std::string* output, const char* what) {
  AddText(command, "-o,--output", output, "FILE",
          std::string(what) +
              ", or - for stdout.\nAn existing file is replaced only when the new one is complete;\na symbolic link "
              "stays, and its target is replaced.")
      ->required();
}

void AddEncode(CLI::App* app, EncodeTexts* texts) {
  CLI::App* const command = app->add_subcommand("encode", "Write a table of position encodings as a .npy file.");
  AddDim(command, &texts->spec)->required();
  AddPositions(command, &texts->positions);
  AddPositionsFile(command, &texts->positions_file, "Instead of --positions");
  AddSpecOptions(command, &texts->spec);
  AddText(command, "--dtype", &texts->dtype, "TYPE",
          "Type of the elements: " + ElementTypeNames() +
              "; default f32.\nNumPy has no bfloat16: bf16 is written as <u2, the 16 "
              "bits.");
  AddOutput(command, &texts->output, "The .npy file (format 1.0, C order)");
  command->footer(
      "The array has the shape (positions, dim). Every element is the exact value rounded\n"
      "once, so the file is the same on every machine. Memory stays below 64 MiB however\n"
      "many positions there are, unless a row and its tables (about 300 bytes an element)\n"
      "are larger.\n"
      "\n"
      "Example: the table of \"Attention Is All You Need\" for 4096 tokens\n"
      "  posenc encode --dim 512 --positions 0:4096 -o table.npy\n"
      "  python3 -c 'import numpy; print(numpy.load(\"table.npy\").shape)'");
}

void AddPlot(CLI::App* app, PlotTexts* texts) {
  CLI::App* const command = app->add_subcommand("plot", "Draw a table: positions down, dimensions across, as a PNG.");
  AddDim(command, &texts->spec)->required();
  AddPositions(command, &texts->positions)->required();
  AddSpecOptions(command, &texts->spec);
  AddText(command, "--width", &texts->width, "PIXELS",
          "The most pixels across, " + std::to_string(kSmallestPicture) + " to " + std::to_string(kLargestPicture) +
              "; default 1200.");
  AddText(command, "--height", &texts->height, "PIXELS", "The most pixels down, the same limits; default 800.");
  AddOutput(command, &texts->output, "The PNG file");
  command->footer(
      "Elements that have room are drawn with a whole number of pixels, and the picture takes\n"
      "only the room they need. In a larger table each pixel shows the mean of the elements\n"
      "it covers, so that waves shorter than a pixel fade to white; beyond 2^28 elements the\n"
      "mean is taken over evenly spaced positions.\n"
      "\n"
      "Example:\n"
      "  posenc plot --dim 128 --positions 0:100 -o table.png");
}

void AddAdd(CLI::App* app, AddTexts* texts) {
  CLI::App* const command = app->add_subcommand("add", "Add position encodings to the rows of a .npy file.");
  AddText(command, "x", &texts->input, "X.npy",
          "The array, or - for stdin: " + AddableDescrs() +
              " in C order, with a shape\n(..., length, dim). The leading axes number the sequences.")
      ->required();
  AddDim(command, &texts->spec)->description("Elements in a row, which is the last axis; may be left out.");
  AddText(command, "--start", &texts->start, "N", "The position of the first row of every sequence; default 0.");
  AddText(command, "--step", &texts->step, "N", "From the position of a row to that of the next; default 1.");
  AddPositionsFile(command, &texts->positions_file, "Instead of --start and --step");
  AddText(
      command, "--x-scale", &texts->x_scale, "REAL",
      "Multiplies every element of the array; default 1. sqrt-dim\nis the double nearest to the square root of dim.");
  AddSpecOptions(command, &texts->spec);
  AddOutput(command, &texts->output, "The .npy file, of the type and shape of the array");
  command->footer(
      "Every element is the exact value of x_scale * x + encoding, rounded once to the type\n"
      "of the array. A file of positions holds one for each row of a sequence, and all\n"
      "sequences have these positions; or one for each row of the whole array. The output\n"
      "may be the file of the array itself. Memory stays below 64 MiB however large the\n"
      "array is, unless a row and its tables (about 300 bytes an element) are larger.\n"
      "\n"
      "Example: what a transformer does to its embeddings, shape (batch, length, dim)\n"
      "  posenc add embeddings.npy --x-scale sqrt-dim -o encoded.npy");
}

Outcome RunEncode(const EncodeTexts& texts) {
  if (texts.positions.has_value() == texts.positions_file.has_value()) {
    return BadCommandLine("either --positions or --positions-file must be given");
  }
  const ElementType* type = nullptr;
  Encoder encoder;
  PositionRange range;
  PositionFile file;
  Outcome outcome = FindElementType(texts.dtype, &type);
  if (outcome.done() && texts.positions) outcome = ParsePositionRange(*texts.positions, &range);
  if (outcome.done()) outcome = MakeEncoder(texts.spec, &encoder);
  if (outcome.done() && texts.positions_file) outcome = file.Open(*texts.positions_file);
  if (!outcome.done()) return outcome;
  RangePositions range_source(range);
  PositionSource* const positions = texts.positions ? static_cast<PositionSource*>(&range_source) : &file;
  return EncodeToNpy(encoder, positions, *type, texts.output);
}

Outcome RunPlot(const PlotTexts& texts) {
  std::size_t width = 0;
  std::size_t height = 0;
  Encoder encoder;
  PositionRange positions;
  Outcome outcome = ParseCount("--width", texts.width, kSmallestPicture, kLargestPicture, &width);
  if (outcome.done()) outcome = ParseCount("--height", texts.height, kSmallestPicture, kLargestPicture, &height);
  if (outcome.done()) outcome = ParsePositionRange(texts.positions.value_or(""), &positions);
  if (outcome.done()) outcome = MakeEncoder(texts.spec, &encoder);
  return outcome.done() ? PlotToPng(encoder, positions, width, height, texts.output) : outcome;
}

Outcome PrintText(const std::string& text) {
  OutputFile out;
  Outcome outcome = out.OpenStdout();
  if (outcome.done()) outcome = out.Write(text.data(), text.size());
  return outcome.done() ? out.Commit() : outcome;
}

Outcome Run(int argc, char** argv) {
  CLI::App app("Position encodings of transformers, every element rounded once from its exact value.", "posenc");
  app.set_version_flag("--version", "posenc " POSENC_VERSION);
  app.get_formatter()->column_width(kOptionColumn);
  app.require_subcommand(0, 1);
  app.footer(
      "'posenc COMMAND --help' explains a command.\n"
      "\n"
      "Exit codes: 0 done, 1 failed while running (a full disk, say), 2 a bad command line.");
  EncodeTexts encode;
  AddTexts add;
  PlotTexts plot;
  AddEncode(&app, &encode);
  AddAdd(&app, &add);
  AddPlot(&app, &plot);
  app.add_subcommand("info", "Print the version, the SIMD target in use, the contract and the compiler.")
      ->footer("Example:\n  posenc info");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintText(app.help());
  } catch (const CLI::CallForVersion& version) {
    return PrintText(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    while (!sentence.empty() && (sentence.back() == '\n' || sentence.back() == '.')) sentence.pop_back();
    return BadCommandLine(sentence + " (posenc --help and posenc COMMAND --help list what is allowed)");
  }
  if (app.got_subcommand("encode")) return RunEncode(encode);
  if (app.got_subcommand("add")) return AddToNpy(add);
  if (app.got_subcommand("plot")) return RunPlot(plot);
  if (app.got_subcommand("info")) return PrintText(InfoText());
  return BadCommandLine("a command must be given: encode, add, plot or info (posenc --help explains them)");
}

}  // namespace
}  // namespace posenc::cli

int main(int argc, char** argv) {
  posenc::cli::InstallSignalHandlers();
  posenc::cli::Outcome outcome;
  try {
    outcome = posenc::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    outcome = posenc::cli::Failure("this machine gives no more memory");
  } catch (const std::exception& error) {
    outcome = posenc::cli::Failure(error.what());
  }
  if (!outcome.done()) std::fprintf(stderr, "posenc: %s.\n", outcome.sentence.c_str());
  return outcome.exit_code;
}
