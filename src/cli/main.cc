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
#include <string_view>
#include <vector>

#include "posenc/presets.h"
#include "src/cli/add.h"
#include "src/cli/chart.h"
#include "src/cli/element_type.h"
#include "src/cli/encode.h"
#include "src/cli/info.h"
#include "src/cli/numbers.h"
#include "src/cli/outcome.h"
#include "src/cli/output_file.h"
#include "src/cli/plot.h"
#include "src/cli/position_file.h"
#include "src/cli/position_options.h"
#include "src/cli/position_range.h"
#include "src/cli/position_source.h"
#include "src/cli/preset_options.h"
#include "src/cli/similarity.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {
namespace {

constexpr int kOptionColumn = 34;  // where the explanations of --help begin

struct EncodeTexts {
  SpecTexts spec;
  PositionTexts positions;
  std::optional<std::string> positions_file;
  std::string dtype = "f32";
  std::string output;
};

struct PlotTexts {
  SpecTexts spec;
  PositionTexts positions;
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

// option and what it names: --positions or --offsets.
CLI::Option* AddRange(CLI::App* command, const std::string& things, std::optional<std::string>* text,
                      const std::string& more) {
  return AddText(command, ("--" + things).c_str(), text, "A:B[:STEP]",
                 "The " + things +
                     " A, A+STEP, ... up to and without B: 64-bit\nintegers, also negative; STEP is 1 when "
                     "left out, never 0." +
                     more);
}

void AddPositions(CLI::App* command, PositionTexts* texts) {
  AddRange(command, "positions", &texts->positions, "\nThey are taken as they are, also with --preset.");
  AddText(command, "--length", &texts->length, "T",
          "Instead of --positions: those of a sequence of length T,\n0 to T-1; with --preset as its program has them, "
          "from its\nfirst one (opennmt-tf: 1 to T), down to 0 (transformer-xl)\nor from T-1 down to -(T-1) "
          "(espnet-rel).");
}

void AddPositionsFile(CLI::App* command, std::optional<std::string>* path, const std::string& instead) {
  AddText(command, "--positions-file", path, "FILE",
          instead +
              ": positions from a file, or - for\nstdin. A .npy of any shape holds integers or floats, row\nby row; a "
              "text holds numbers between blanks or new lines,\nand # begins a comment. Integers are exact up to 64 "
              "bits,\nfloats are the number they hold; nan and inf give rows of NaN.");
}

// takes is what the command takes from a preset beside its encoding.
void AddSpecOptions(CLI::App* command, SpecTexts* texts, const std::string& takes) {
  AddText(command, "--preset", &texts->preset, "NAME",
          "What another program computes, by its name; 'posenc presets'\nlists the names. It sets the options below" +
              takes + ";\nthose that are given replace its values one by one.");
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
  command
      ->add_flag("--cos-first", texts->cos_first,
                 "Cosines take the places of the sines, and the other way round;\n--cos-first=false where a preset has "
                 "it and you do not want it.")
      ->each([texts](const std::string&) { texts->cos_first_given = true; });
  AddText(command, "--odd", &texts->odd, "RULE",
          "An odd --dim is refused (error, default), gets a last\nelement 0 (zero), or a last sine without its cosine "
          "(drop-cos).");
}

void AddOutput(CLI::App* command, std::string* output, const char* what) {
  AddText(command, "-o,--output", output, "FILE",
          std::string(what) +
              ", or\n- for stdout. An existing file is replaced only when the\nnew one is complete, which gets its "
              "permission bits; a\nsymbolic link stays, and its target is replaced.")
      ->required();
}

void AddEncode(CLI::App* app, EncodeTexts* texts) {
  CLI::App* const command = app->add_subcommand("encode", "Write a table of position encodings as a .npy file.");
  AddDim(command, &texts->spec)->required();
  AddPositions(command, &texts->positions);
  AddPositionsFile(command, &texts->positions_file, "Instead of --positions");
  AddSpecOptions(command, &texts->spec, " and the rows of\n--length");
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
      "  python3 -c 'import numpy; print(numpy.load(\"table.npy\").shape)'\n"
      "Example: the table of OpenNMT-tf, whose positions begin at 1\n"
      "  posenc encode --preset opennmt-tf --dim 512 --length 4096 -o table.npy");
}

template <class Text>
void AddPictureSize(CLI::App* command, Text* width, Text* height, const std::string& pixels) {
  AddText(command, "--width", width, "PIXELS",
          pixels + " across, " + std::to_string(kSmallestPicture) + " to " + std::to_string(kLargestPicture) +
              "; default 1200.");
  AddText(command, "--height", height, "PIXELS", pixels + " down, the same limits; default 800.");
}

void AddPlot(CLI::App* app, PlotTexts* texts) {
  CLI::App* const command = app->add_subcommand("plot", "Draw a table: positions down, dimensions across, as a PNG.");
  AddDim(command, &texts->spec)->required();
  AddPositions(command, &texts->positions);
  AddSpecOptions(command, &texts->spec, " and the rows of\n--length");
  AddPictureSize(command, &texts->width, &texts->height, "The most pixels");
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
  AddText(command, "X.npy", &texts->input, "",
          "The array, or - for stdin: " + AddableDescrs() +
              " in C order, with a\nshape (..., length, dim). The leading axes number the sequences.")
      ->required();
  AddDim(command, &texts->spec)->description("Elements in a row, which is the last axis; may be left out.");
  AddText(command, "--start", &texts->start, "N",
          "The position of the first row of every sequence; default 0,\nor where the program of --preset begins.");
  AddText(command, "--step", &texts->step, "N",
          "From the position of a row to that of the next; default 1,\nor as --preset has it.");
  AddPositionsFile(command, &texts->positions_file, "Instead of --start and --step");
  AddText(
      command, "--x-scale", &texts->x_scale, "REAL",
      "Multiplies every element of the array; default 1, or that of\n--preset. sqrt-dim is the double nearest to the "
      "square root\nof dim.");
  AddSpecOptions(command, &texts->spec, ", --start,\n--step and --x-scale");
  AddOutput(command, &texts->output, "The .npy file, of the type and shape of the array");
  command->footer(
      "Every element is the exact value of x_scale * x + encoding, rounded once to the type\n"
      "of the array. A file of positions holds one for each row of a sequence, and all\n"
      "sequences have these positions; or one for each row of the whole array. The output\n"
      "may be the file of the array itself. Memory stays below 64 MiB however large the\n"
      "array is, unless a row and its tables (about 300 bytes an element) are larger.\n"
      "\n"
      "Example: what a transformer does to its embeddings, shape (batch, length, dim)\n"
      "  posenc add embeddings.npy --x-scale sqrt-dim -o encoded.npy\n"
      "Example: the same as fairseq does it, from position 2 and times the root of dim\n"
      "  posenc add embeddings.npy --preset fairseq -o encoded.npy");
}

void AddSimilarity(CLI::App* app, SimilarityTexts* texts) {
  CLI::App* const command =
      app->add_subcommand("similarity", "Write the dot products of encodings by their offset, as a PNG, CSV or .npy.");
  AddDim(command, &texts->spec)->required();
  AddRange(command, "offsets", &texts->offsets, "")->required();
  AddSpecOptions(command, &texts->spec, "");
  AddText(command, "--format", &texts->format, "NAME",
          SimilarityFormatNames() + "; default what the name of the file ends in, and\ncsv for stdout.");
  AddPictureSize(command, &texts->width, &texts->height, "Pixels of the PNG");
  AddOutput(command, &texts->output, "The file, FILE.png, FILE.csv or FILE.npy");
  command->footer(
      "The similarity at an offset is PE(p) . PE(p + offset), which is amplitude^2 * sum of\n"
      "cos(offset * w_k) whatever p is, within 1 ulp. --layout and --cos-first do not change it.\n"
      "A CSV has the head 'offset,similarity' and a line for each offset; its numbers are the\n"
      "shortest that read back as the same double. A .npy has the shape (offsets,) and the\n"
      "type <f8. Both are written in bounded memory. A PNG joins the offsets by a line, and\n"
      "shows all between the lowest and the highest one where a pixel holds many; beyond 2^28\n"
      "cosines (offsets times dim/2) it looks at evenly spaced offsets, 0 among them.\n"
      "\n"
      "Examples:\n"
      "  posenc similarity --dim 512 --offsets -200:201 -o curve.png\n"
      "  posenc similarity --preset whisper --dim 512 --offsets 0:100 -o curve.csv");
}

Outcome RunEncode(const EncodeTexts& texts) {
  const PositionTexts& typed = texts.positions;
  if (typed.positions.has_value() + typed.length.has_value() + texts.positions_file.has_value() != 1) {
    return BadCommandLine("one of --positions, --length and --positions-file must be given, and only one");
  }
  const ElementType* type = nullptr;
  std::size_t dim = 0;
  presets::Preset preset;
  Encoder encoder;
  PositionRange range;
  PositionFile file;
  Outcome outcome = FindElementType(texts.dtype, &type);
  if (outcome.done()) outcome = ParseDim(texts.spec, &dim);
  if (outcome.done() && !texts.positions_file) outcome = ReadPositions(typed, texts.spec, &range);
  // What no file holds is refused before memory is taken for it.
  if (outcome.done()) outcome = ExpectTableFits(range.count, dim, *type);
  if (outcome.done()) outcome = MakeEncoder(texts.spec, &preset, &encoder);
  if (outcome.done() && texts.positions_file) outcome = file.Open(*texts.positions_file);
  if (outcome.done()) outcome = ExpectTableFits(file.count(), dim, *type);
  if (!outcome.done()) return outcome;
  RangePositions range_source(range);
  PositionSource* const positions = texts.positions_file ? static_cast<PositionSource*>(&file) : &range_source;
  return EncodeToNpy(encoder, positions, *type, texts.output);
}

Outcome RunPlot(const PlotTexts& texts) {
  const PositionTexts& typed = texts.positions;
  if (typed.positions.has_value() == typed.length.has_value()) {
    return BadCommandLine("one of --positions and --length must be given, and only one");
  }
  std::size_t width = 0;
  std::size_t height = 0;
  presets::Preset preset;
  Encoder encoder;
  PositionRange positions;
  Outcome outcome = ParseCount("--width", texts.width, kSmallestPicture, kLargestPicture, &width);
  if (outcome.done()) outcome = ParseCount("--height", texts.height, kSmallestPicture, kLargestPicture, &height);
  if (outcome.done()) outcome = ReadPositions(typed, texts.spec, &positions);
  if (outcome.done() && positions.count == 0) {
    outcome = BadCommandLine(std::string(typed.length ? "--length" : "--positions") +
                             " must hold at least one position to plot");
  }
  if (outcome.done()) outcome = MakeEncoder(texts.spec, &preset, &encoder);
  if (!outcome.done()) return outcome;
  const std::string title = Describe(texts.spec, encoder.spec(), "positions", positions);
  return PlotToPng(encoder, positions, title, width, height, texts.output);
}

Outcome PrintText(const std::string& text) {
  OutputFile out;
  Outcome outcome = out.OpenStdout();
  if (outcome.done()) outcome = out.Write(text.data(), text.size());
  return outcome.done() ? out.Commit() : outcome;
}

// CLI11 takes the word after "--name=" for its value: one that an empty variable of a shell left out would be replaced
// by whatever stands next. And it takes many words for a flag's true and false, numbers among them.
Outcome ExpectValuesAfterEquals(int argc, char** argv) {
  constexpr std::string_view kFlag = "--cos-first=";
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      return BadCommandLine(Quoted(word) + " must have a value right after the =");
    }
    if (word.starts_with(kFlag) && word.substr(kFlag.size()) != "true" && word.substr(kFlag.size()) != "false") {
      return BadCommandLine("--cos-first must be true or false, not " + Quoted(word.substr(kFlag.size())));
    }
  }
  return Done();
}

// What CLI11 refused, as a sentence. It quotes what was typed, which Quoted makes fit for a terminal.
std::string Refusal(const CLI::App& app, const CLI::ParseError& error) {
  // A word that nobody takes is often why another one is missed, and is named first.
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    const bool is_before_command = commands.empty() || !app.remaining(false).empty();
    const std::string owner = is_before_command ? "posenc" : "posenc " + commands.front()->get_name();
    if (unknown.front().starts_with('-')) return Quoted(unknown.front()) + " is no option of " + owner;
    if (is_before_command) return Quoted(unknown.front()) + " is no command";
    return Quoted(unknown.front()) + " was not expected by " + owner;
  }
  std::string sentence = error.what();
  const std::string option = sentence.substr(0, sentence.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && option.starts_with('-')) {
    return option +
           (sentence.find("received") != std::string::npos ? " must be given only once" : " must have a value");
  }
  return sentence;
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
  SimilarityTexts similarity;
  AddEncode(&app, &encode);
  AddAdd(&app, &add);
  AddPlot(&app, &plot);
  AddSimilarity(&app, &similarity);
  app.add_subcommand("presets", "List the names that --preset takes.")
      ->footer(
          "FIRST is the position of the first row: T is the length of the sequence. X-SCALE is what\n"
          "embeddings are multiplied by before encodings are added to them.\n"
          "\n"
          "Example:\n  posenc presets");
  app.add_subcommand("info", "Print the version, the SIMD target in use, the contract and the compiler.")
      ->footer("Example:\n  posenc info");

  Outcome complete = ExpectValuesAfterEquals(argc, argv);
  if (!complete.done()) return complete;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintText(app.help());
  } catch (const CLI::CallForVersion& version) {
    return PrintText(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return BadCommandLine(Refusal(app, error) + " (posenc --help and posenc COMMAND --help list what is allowed)");
  }
  if (app.got_subcommand("encode")) return RunEncode(encode);
  if (app.got_subcommand("add")) return AddToNpy(add);
  if (app.got_subcommand("plot")) return RunPlot(plot);
  if (app.got_subcommand("similarity")) return WriteSimilarity(similarity);
  if (app.got_subcommand("presets")) return PrintText(PresetList());
  if (app.got_subcommand("info")) return PrintText(InfoText());
  return BadCommandLine(
      "a command must be given: encode, add, plot, similarity, presets or info (posenc --help explains them)");
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
