// Fuzz room: bytes that may be anything go in; a claim of the library or of the program that does not hold for them
// ends the process. What every fuzz target shares: the entry that libFuzzer and corpus_main.cc call, the reader of its
// bytes, and the end.

#ifndef POSENC_TESTS_FUZZ_FUZZ_H_
#define POSENC_TESTS_FUZZ_FUZZ_H_

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

// Names and signature are those of libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace posenc::fuzz {

// Ends the process with a sentence about what was expected, unless it is so. text() is called only then.
template <class Text>
void Require(bool holds, const Text& text) {
  if (holds) return;
  const std::string sentence = text();
  static_cast<void>(std::fprintf(stderr, "fuzz: %s\n", sentence.c_str()));
  std::abort();
}

// Numbers from the bytes of one input, in their order; zeros after its end. Each number is one of several kinds, so
// that a change of a byte or two reaches small numbers, powers of two and every bit pattern.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const char*>(data), size) {}

  // The next sizeof(Int) bytes, the lowest first.
  template <class Int>
  Int Take() {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(Int) && !left_.empty(); ++i) {
      bits |= std::uint64_t{static_cast<std::uint8_t>(left_.front())} << (8 * i);
      left_.remove_prefix(1);
    }
    return static_cast<Int>(bits);
  }

  // From 0 to limit - 1; limit is at most 2^16.
  std::size_t Below(std::size_t limit) {
    return limit <= 256 ? Take<std::uint8_t>() % limit : Take<std::uint16_t>() % limit;
  }
  bool Flag() { return Below(2) != 0; }

  std::int64_t Integer() {
    switch (Below(6)) {
      case 0:
        return Take<std::int8_t>();
      case 1:
        return Take<std::int16_t>();
      case 2:
        return Take<std::int32_t>();
      case 3:
        return Take<std::int64_t>();
      case 4: {  // beside a power of two
        const std::uint64_t power = std::uint64_t{1} << Below(64);
        return static_cast<std::int64_t>(power + static_cast<std::uint64_t>(std::int64_t{Take<std::int8_t>()}));
      }
      default:  // beside an end
        return static_cast<std::int64_t>(std::uint64_t{INT64_MAX} + Take<std::uint8_t>() - 128);
    }
  }

  double Real(double usual) {
    // Ends of the types, ties between two floats, halves or bfloat16s, and the rule about positions.
    static constexpr double kSpecial[] = {0.0,
                                          -0.0,
                                          std::numeric_limits<double>::quiet_NaN(),
                                          std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::denorm_min(),
                                          std::numeric_limits<double>::max(),
                                          0x1p-149,
                                          0x1p-126,
                                          0x1.fffffep127,
                                          0x1.ffffffp127,
                                          65504.0,
                                          65520.0,
                                          0x1p-24,
                                          0x1p-25,
                                          0x1.000001p0,
                                          0x1.002p0,
                                          0x1.01p0,
                                          0x1p63,
                                          -0x1p63,
                                          0x1.0000000000001p63,
                                          0x1p64,
                                          1.5707963267948966,
                                          6.283185307179586};
    switch (Below(8)) {
      case 0:
        return usual;
      case 1:
        return std::bit_cast<double>(Take<std::uint64_t>());
      case 2:
        return static_cast<double>(Take<std::int16_t>());
      case 3:
        return static_cast<double>(Take<std::int16_t>()) * 0x1p-8;
      case 4:
        return double{std::bit_cast<float>(Take<std::uint32_t>())};
      case 5: {
        const double magnitude =
            std::ldexp(1.0 + static_cast<double>(Take<std::uint8_t>()) * 0x1p-8, 8 * Take<std::int8_t>());
        return Flag() ? -magnitude : magnitude;
      }
      case 6:
        return kSpecial[Below(std::size(kSpecial))];
      default:
        return static_cast<double>(Integer());
    }
  }

 private:
  std::string_view left_;
};

}  // namespace posenc::fuzz

#endif  // POSENC_TESTS_FUZZ_FUZZ_H_
