// Test room rows: memory for rows with known bytes around, between and before them, and the comparison of rows with
// those of a reference.

#ifndef POSENC_TESTS_ROWS_H_
#define POSENC_TESTS_ROWS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rounding.h"

namespace posenc::test {

// Calls body.operator()<T>() for every output type of the library.
template <class Body>
void ForEveryType(Body body) {
  const auto run = [&]<class T>() {
    SCOPED_TRACE(Format<T>::kName);
    body.template operator()<T>();
  };
  run.template operator()<float>();
  run.template operator()<double>();
  run.template operator()<Half>();
  run.template operator()<BFloat16>();
}

// count rows of dim elements, stride apart (0: dim), the first one `offset` elements after a 64-byte boundary. Every
// byte that is not an element of a row is a sentinel, and so is every element until it is written.
template <class T>
class GuardedRows {
 public:
  GuardedRows(std::size_t dim, std::size_t count, std::size_t stride = 0, std::size_t offset = 0)
      : dim_(dim), count_(count), stride_(stride == 0 ? dim : stride), first_(kMargin + offset) {
    const std::size_t used = count == 0 ? 0 : (count - 1) * stride_ + dim;
    storage_.resize(first_ + used + kMargin + kLine, Sentinel());
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    first_ += (kLineBytes - address % kLineBytes) % kLineBytes / sizeof(T);
  }

  // A value that no encoding has: a NaN with a payload of its own.
  static T Sentinel() { return FromBits<T>(static_cast<BitsOf<T>>(QuietNanBits<T>() | 0x2A)); }

  T* data() { return storage_.data() + first_; }
  const T* row(std::size_t r) const { return storage_.data() + first_ + r * stride_; }
  std::size_t dim() const { return dim_; }
  std::size_t count() const { return count_; }
  Rows<T> rows() { return {data(), count_, stride_}; }
  Rows<const T> const_rows() { return {data(), count_, stride_}; }

  // Nothing but rows was written.
  testing::AssertionResult GuardsAreIntact() const { return Intact(false); }
  // Nothing was written.
  testing::AssertionResult IsUntouched() const { return Intact(true); }

  // The rows, packed.
  std::vector<T> Packed() const {
    std::vector<T> packed;
    packed.reserve(count_ * dim_);
    for (std::size_t r = 0; r < count_; ++r) packed.insert(packed.end(), row(r), row(r) + dim_);
    return packed;
  }

 private:
  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kLine = kLineBytes / sizeof(T);
  static constexpr std::size_t kMargin = 4 * kLine;  // beyond the widest vector, on both sides

  testing::AssertionResult Intact(bool rows_too) const {
    for (std::size_t i = 0; i < storage_.size(); ++i) {
      const bool inside = i >= first_ && i < first_ + count_ * stride_ && (i - first_) % stride_ < dim_;
      if (inside && !rows_too) continue;
      if (ToBits(storage_[i]) != ToBits(Sentinel())) {
        return testing::AssertionFailure()
               << "element " << static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(first_)
               << " from the first row was overwritten with " << Describe(storage_[i]);
      }
    }
    return testing::AssertionSuccess();
  }

  // Aligned to its line by first_, so that any allocator does.
  std::vector<T> storage_;
  std::size_t dim_;
  std::size_t count_;
  std::size_t stride_;
  std::size_t first_;
};

// Equality of two packed tables, and the first difference.
template <class T>
testing::AssertionResult SameRows(std::span<const T> got, std::span<const T> want, std::size_t dim) {
  if (got.size() != want.size()) return testing::AssertionFailure() << got.size() << " elements, not " << want.size();
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = got.size(); i-- > 0;) {
    if (Same(got[i], want[i])) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << wrong << " of " << got.size() << " elements differ, first row " << first / dim
                                     << " column " << first % dim << ": got " << Describe(got[first]) << ", want "
                                     << Describe(want[first]);
}

template <class T>
testing::AssertionResult SameRows(const std::vector<T>& got, const std::vector<T>& want, std::size_t dim) {
  return SameRows(std::span<const T>(got), std::span<const T>(want), dim);
}

// An encoder of a Spec that must be valid.
inline Encoder MakeOrFail(const Spec& spec) {
  Result<Encoder> made = Encoder::Make(spec);
  EXPECT_EQ(made.error, Error::kNone) << Message(made.error);
  return std::move(made.value);
}

// A packed table from one call.
template <class T>
std::vector<T> EncodeTable(const Encoder& encoder, std::int64_t start, std::size_t count, std::int64_t step = 1) {
  std::vector<T> rows(count * encoder.spec().dim);
  EXPECT_EQ(encoder.EncodeRange(start, Rows<T>{rows.data(), count, 0}, step), Error::kNone);
  return rows;
}

}  // namespace posenc::test

#endif  // POSENC_TESTS_ROWS_H_
