// Positions as text: an open file goes in, its numbers come out one by one, as int64 or double.

#include "src/cli/position_text.h"

#include <cstring>
#include <string>

#include "src/cli/numbers.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kTextBytes = std::size_t{1} << 16;
// A double written out in full has 767 digits after up to 308 zeros.
constexpr std::size_t kLongestWord = 4096;

bool IsBlank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

PositionText::PositionText() : text_(kTextBytes) {}

void PositionText::Restart() noexcept { begin_ = end_ = numbers_ = 0; }

Outcome PositionText::Refill(InputFile* file, bool* more) {
  std::memmove(text_.data(), text_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  std::size_t got = 0;
  Outcome outcome = file->Read(text_.data() + end_, text_.size() - end_, &got);
  end_ += got;
  *more = got != 0;
  return outcome;
}

Outcome PositionText::NextWord(InputFile* file, std::string_view* word) {
  *word = {};
  bool in_comment = false;
  bool more = true;
  for (;; ++begin_) {
    if (begin_ == end_) {
      Outcome outcome = Refill(file, &more);
      if (!outcome.done() || !more) return outcome;
    }
    const char c = text_[begin_];
    in_comment = (in_comment || c == '#') && c != '\n';
    if (!in_comment && !IsBlank(c)) break;
  }
  std::size_t length = 1;
  while (length <= kLongestWord) {
    if (begin_ + length == end_) {
      Outcome outcome = Refill(file, &more);
      if (!outcome.done()) return outcome;
      if (!more) break;
    }
    const char c = text_[begin_ + length];
    if (c == '#' || IsBlank(c)) break;
    ++length;
  }
  *word = std::string_view(text_.data() + begin_, length);
  begin_ += length;
  return Done();
}

Outcome PositionText::Next(InputFile* file, Number* number, bool* end) {
  std::string_view word;
  Outcome outcome = NextWord(file, &word);
  *end = word.empty();
  if (!outcome.done() || *end) return outcome;
  NumberError error = NumberError::kNotANumber;
  if (word.size() <= kLongestWord) {
    std::int64_t integer = 0;
    error = ParseNumber(word, &integer);
    *number = integer;
    // An integer that int64 does not hold is not taken for a double, which would hold another one.
    if (error == NumberError::kNotANumber) {
      double real = 0.0;
      error = ParseNumber(word, &real);
      *number = real;
    }
  }
  if (error == NumberError::kNone) {
    ++numbers_;
    return Done();
  }
  return Failure(file->named() +
                 " must be a .npy file or text with numbers between blanks, integers from -2^63 to 2^63 "
                 "- 1 or reals such as 0.5 or 1e4 that a double holds; position " +
                 std::to_string(numbers_) + " (from 0) is " + Quoted(word));
}

}  // namespace posenc::cli
