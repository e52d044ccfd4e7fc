// Bench, text: a format of printf and its arguments go in, a string comes out.

#ifndef POSENC_BENCH_TEXT_H_
#define POSENC_BENCH_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

namespace posenc_bench {

// At most 399 characters: a line of a report.
template <class... Arguments>
std::string Text(const char* format, Arguments... arguments) {
  char text[400];
  const int length = std::snprintf(text, sizeof(text), format, arguments...);
  return {text, static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof(text) - 1))};
}

}  // namespace posenc_bench

#endif  // POSENC_BENCH_TEXT_H_
