// Pictures as PNG: a canvas and an open output go in, a complete file comes out.

#include "src/cli/png_file.h"

#include <png.h>

#include <csetjmp>
#include <utility>

namespace posenc::cli {
namespace {

// What the callbacks of libpng share with WritePng. It outlives every longjmp.
struct PngSink {
  OutputFile* file;
  Outcome outcome;
};

// libpng calls this on an error and expects that it does not return. Nothing between here and the setjmp in
// EncodePng has a destructor to run.
[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  PngSink* const sink = static_cast<PngSink*>(png_get_error_ptr(png));
  // A failed write has left its own, better sentence.
  if (sink->outcome.done()) sink->outcome = Failure(std::string("cannot make the PNG: ") + message);
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}

// False on failure. Its objects are gone when png_error jumps.
bool WriteToSink(PngSink* sink, const void* data, std::size_t size) {
  sink->outcome = sink->file->Write(data, size);
  return sink->outcome.done();
}

void OnWrite(png_structp png, png_bytep data, png_size_t size) {
  if (!WriteToSink(static_cast<PngSink*>(png_get_io_ptr(png)), data, size)) png_error(png, "write failed");
}

void OnFlush(png_structp) {}

// The part that libpng may leave by longjmp: only pointers and trivial objects live here, and none of them changes
// between setjmp and longjmp. False: sink->outcome says why.
bool EncodePng(png_structp png, png_infop info, const Canvas& canvas, png_textp texts, int text_count) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(canvas.width()), static_cast<png_uint_32>(canvas.height()), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_text(png, info, texts, text_count);
  png_write_info(png, info);
  for (int y = 0; y < canvas.height(); ++y) png_write_row(png, canvas.row(y));
  png_write_end(png, info);
  return true;
}

}  // namespace

Outcome WritePng(const Canvas& canvas, const std::string& title, OutputFile* file) {
  PngSink sink{.file = file, .outcome = {}};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, OnError, OnWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return Failure("cannot make the PNG: libpng could not start");
  }
  png_set_write_fn(png, &sink, OnWrite, OnFlush);

  std::string title_text = title;
  char software[] = "posenc " POSENC_VERSION;
  char title_key[] = "Title";
  char software_key[] = "Software";
  png_text texts[2] = {};
  for (png_text& text : texts) text.compression = PNG_TEXT_COMPRESSION_NONE;
  texts[0].key = title_key;
  texts[0].text = title_text.data();
  texts[1].key = software_key;
  texts[1].text = software;

  const bool encoded = EncodePng(png, info, canvas, texts, 2);
  png_destroy_write_struct(&png, &info);
  return encoded ? file->Commit() : sink.outcome;
}

}  // namespace posenc::cli
