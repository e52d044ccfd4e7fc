// Fuzz room: the bytes of an input go in, what to call the library with comes out: a Spec, positions, and memory for
// rows. Everything in it may be refused by the library; nothing is larger than a few thousand elements.

#ifndef POSENC_TESTS_FUZZ_ENCODE_CASE_H_
#define POSENC_TESTS_FUZZ_ENCODE_CASE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/posenc.h"
#include "tests/fuzz/fuzz.h"
#include "tests/rounding.h"

namespace posenc::fuzz {

// Rows times dim of one call. The oracle takes a microsecond an element.
inline constexpr std::size_t kMostElements = 4096;
inline constexpr std::size_t kMostRows = 300;

inline Spec TakeSpec(Bytes* bytes) {
  Spec spec;
  spec.dim = bytes->Below(200);
  spec.layout = static_cast<Layout>(bytes->Below(2));
  spec.cos_first = bytes->Flag();
  spec.spacing = static_cast<Spacing>(bytes->Below(2));
  spec.odd = static_cast<OddDim>(bytes->Below(3));
  spec.base = bytes->Real(10000.0);
  spec.position_scale = bytes->Real(1.0);
  spec.amplitude = bytes->Real(1.0);
  const std::size_t listed = bytes->Below(8);
  if (listed != 0) {
    // Some numbers in turn, as many as the rule about their count asks for, or one more.
    std::vector<double> numbers;
    for (std::size_t i = 0; i < listed; ++i) numbers.push_back(bytes->Real(0.5));
    const std::size_t frequencies =
        (spec.odd == OddDim::kDropCos ? spec.dim + 1 : spec.dim) / 2 + (bytes->Below(16) == 15 ? 1 : 0);
    for (std::size_t k = 0; k < frequencies; ++k) spec.inv_freq.push_back(numbers[k % listed]);
  }
  return spec;
}

// The start and step of a range.
struct RangeCase {
  std::int64_t start = 0;
  std::int64_t step = 1;

  bool IsInt64(std::size_t count) const {
    const __int128 last = static_cast<__int128>(start) + static_cast<__int128>(step) * static_cast<__int128>(count - 1);
    return last >= INT64_MIN && last <= INT64_MAX;
  }
};

inline RangeCase TakeRange(Bytes* bytes) {
  RangeCase range;
  range.start = bytes->Integer();
  if (bytes->Flag()) range.step = bytes->Integer();
  return range;
}

template <class P>
P TakePosition(Bytes* bytes) {
  if constexpr (std::is_floating_point_v<P>) {
    const double real = bytes->Real(0.0);
    // A float may overflow to infinity by rounding, which C++ leaves undefined.
    const bool overflows = std::isfinite(real) && std::fabs(real) > double{std::numeric_limits<P>::max()};
    return overflows ? std::numeric_limits<P>::infinity() : static_cast<P>(real);
  } else {
    return static_cast<P>(bytes->Integer());
  }
}

// Positions of `count` rows in pieces: runs up and down, the same again, and single ones.
template <class P>
std::vector<P> TakePositions(Bytes* bytes, std::size_t count) {
  std::vector<P> positions;
  while (positions.size() < count) {
    const P first = TakePosition<P>(bytes);
    const int step = static_cast<int>(bytes->Below(3)) - 1;
    const std::size_t length = 1 + bytes->Below(128);
    P position = first;
    for (std::size_t i = 0; i < length && positions.size() < count; ++i) {
      positions.push_back(position);
      if constexpr (std::is_floating_point_v<P>) {
        position += static_cast<P>(step);
      } else {
        // Integers that wrap are positions like all others.
        using Unsigned = std::make_unsigned_t<P>;
        position = static_cast<P>(static_cast<Unsigned>(position) + static_cast<Unsigned>(step));
      }
    }
  }
  return positions;
}

// Whether the library must take these positions.
template <class P>
bool AreAllowed(const std::vector<P>& positions) {
  if constexpr (std::is_floating_point_v<P>) {
    for (const P position : positions) {
      if (std::isfinite(position) && std::fabs(position) > P{0x1p63}) return false;
    }
  }
  return true;
}

// Rows in memory of exactly the elements that they span, so that AddressSanitizer sees the first byte behind them.
// Elements between rows and before them hold a mark that no encoding has.
template <class T>
class ExactRows {
 public:
  ExactRows(std::size_t elements, std::size_t count, std::size_t gap, std::size_t offset)
      : elements_(elements),
        count_(count),
        stride_(elements + gap),
        offset_(offset),
        size_(count == 0 ? offset : offset + (count - 1) * stride_ + elements),
        storage_(new T[size_]) {
    for (std::size_t i = 0; i < size_; ++i) storage_[i] = Mark();
  }

  static T Mark() { return test::FromBits<T>(static_cast<test::BitsOf<T>>(test::QuietNanBits<T>() | 0x2A)); }

  Rows<T> rows() { return {storage_.get() + offset_, count_, stride_}; }
  Rows<const T> const_rows() const { return {storage_.get() + offset_, count_, stride_}; }
  T* row(std::size_t r) { return storage_.get() + offset_ + r * stride_; }
  const T* row(std::size_t r) const { return storage_.get() + offset_ + r * stride_; }
  std::size_t elements() const { return elements_; }
  std::size_t count() const { return count_; }

  // Ends the process if an element that belongs to no row, or to any row unless rows_too is false, has changed.
  void RequireMarks(bool rows_too) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const bool is_row = i >= offset_ && (i - offset_) % stride_ < elements_;
      if (is_row && !rows_too) continue;
      Require(test::Same(storage_[i], Mark()), [&] {
        return "element " + std::to_string(i) + " of " + std::to_string(size_) + " was overwritten with " +
               test::Describe(storage_[i]);
      });
    }
  }

 private:
  std::size_t elements_;
  std::size_t count_;
  std::size_t stride_;
  std::size_t offset_;
  std::size_t size_;
  std::unique_ptr<T[]> storage_;
};

// Rows of so many elements, as many as the limits above and a byte or two allow, where the bytes place them.
template <class T>
ExactRows<T> TakeRows(Bytes* bytes, std::size_t elements, std::size_t count) {
  const std::size_t gap = bytes->Flag() ? bytes->Below(40) : 0;
  return ExactRows<T>(elements, count, gap, bytes->Below(64));
}

inline std::size_t TakeCount(Bytes* bytes, std::size_t elements) {
  const std::size_t most = elements == 0 ? kMostRows : std::min(kMostRows, kMostElements / elements);
  return bytes->Below(most + 1);
}

}  // namespace posenc::fuzz

#endif  // POSENC_TESTS_FUZZ_ENCODE_CASE_H_
