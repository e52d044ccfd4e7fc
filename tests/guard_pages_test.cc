// Tests of every buffer of every call at the edge of its memory: the page behind the last element, or before the first
// one, is not there, and the bits are those of the same call in ordinary memory. A read or write beyond ends the test.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "posenc/posenc.h"
#include "tests/rounding.h"
#include "tests/rows.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::test {
namespace {

enum class Edge : std::uint8_t { kNone, kBehind, kBefore };  // where the missing page is

// Memory with a missing page on both sides.
class FencedMemory {
 public:
  explicit FencedMemory(std::size_t bytes) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (bytes + page - 1) / page * page;
    mapped_ = bytes_ + 2 * page;
    void* const memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ADD_FAILURE() << "mmap";
    map_ = static_cast<char*>(memory);
    begin_ = map_ + page;
    EXPECT_EQ(mprotect(begin_, bytes_, PROT_READ | PROT_WRITE), 0);
  }
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;
  ~FencedMemory() { munmap(map_, mapped_); }

  char* begin() const { return begin_; }
  char* end() const { return begin_ + bytes_; }

 private:
  char* map_ = nullptr;
  char* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t mapped_ = 0;
};

// The same elements in ordinary memory and at both edges.
template <class T>
class Copies {
 public:
  explicit Copies(std::size_t most) : behind_(most * sizeof(T)), before_(most * sizeof(T)) {}

  void Set(std::vector<T> elements) {
    ordinary_ = std::move(elements);
    std::ranges::copy(ordinary_, At(Edge::kBehind));
    std::ranges::copy(ordinary_, At(Edge::kBefore));
  }

  T* At(Edge edge) {
    if (edge == Edge::kNone) return ordinary_.data();
    char* const place = edge == Edge::kBefore ? before_.begin() : behind_.end() - ordinary_.size() * sizeof(T);
    return reinterpret_cast<T*>(place);
  }
  std::size_t size() const { return ordinary_.size(); }
  std::span<const T> SpanAt(Edge edge) { return {At(edge), size()}; }

  // Whether the elements at both edges are those in ordinary memory.
  testing::AssertionResult Agree() {
    for (const Edge edge : {Edge::kBehind, Edge::kBefore}) {
      testing::AssertionResult same = SameRows(SpanAt(edge), SpanAt(Edge::kNone), size());
      if (!same) return same << (edge == Edge::kBehind ? " (at the end of memory)" : " (at its beginning)");
    }
    return testing::AssertionSuccess();
  }

 private:
  std::vector<T> ordinary_;
  FencedMemory behind_;
  FencedMemory before_;
};

constexpr std::size_t kMostElements = 130 * 133;  // with the gaps below

// count rows of `elements` elements: how they are placed in a span.
struct Placed {
  std::size_t elements;
  std::size_t count;
  std::size_t gap;

  std::size_t stride() const { return elements + gap; }
  std::size_t span() const { return elements == 0 ? 0 : (count - 1) * stride() + elements; }
};

// Rows that a call writes, and all its other buffers, at every edge in turn.
template <class T>
class EdgeCalls {
 public:
  explicit EdgeCalls(const Spec& spec) : encoder_(MakeOrFail(spec)), dim_(spec.dim) {}

  void CheckAll(std::size_t count, std::size_t gap) {
    const std::int64_t start = static_cast<std::int64_t>(count * 37) - 70;
    std::vector<std::int64_t> integers(count);
    std::vector<std::int32_t> small(count);
    std::vector<double> reals(count);
    std::vector<float> floats(count);
    for (std::size_t r = 0; r < count; ++r) {
      // A run, then numbers that are none.
      integers[r] = r < count / 2 ? start + static_cast<std::int64_t>(r) : static_cast<std::int64_t>(r * r) << (r % 50);
      small[r] = static_cast<std::int32_t>(integers[r] % 100000);
      reals[r] = static_cast<double>(integers[r]) * 0.375;
      floats[r] = static_cast<float>(small[r]) * 0.5f;
    }
    integers_.Set(integers);
    small_.Set(small);
    reals_.Set(reals);
    floats_.Set(floats);

    const Placed placed{dim_, count, gap};
    Check("EncodeRange", placed, [&](Rows<T> out, Edge) { return encoder_.EncodeRange(start, out); });
    Check("EncodeRange by 3", placed, [&](Rows<T> out, Edge) { return encoder_.EncodeRange(start, out, 3); });
    Check("EncodeRange down", placed, [&](Rows<T> out, Edge) { return encoder_.EncodeRange(start, out, -1); });
    const auto encode = [&](const char* name, auto& positions) {
      Check(name, placed, [&](Rows<T> out, Edge edge) { return encoder_.Encode(positions.SpanAt(edge), out); });
    };
    WithPositions(encode);
    encode("int32", small_);
    encode("float", floats_);
    CheckAdd(placed, start);
    CheckPlanes(count, gap, start);
    CheckGrid(count, gap);
    if (dim_ % 2 == 0) {
      WithPositions([&](const char*, auto& positions) { CheckRotate(count, gap, positions); });
      CheckSimilarity();
    }
  }

 private:
  // Calls body(type, positions) with integers and with reals.
  template <class Body>
  void WithPositions(const Body& body) {
    body("int64", integers_);
    body("double", reals_);
  }

  Rows<T> RowsAt(Copies<T>& memory, const Placed& placed, Edge edge) {
    return {memory.At(edge), placed.count, placed.stride()};
  }

  // call(rows, edge) writes all rows; edge is where its other buffers are too.
  template <class Call>
  void Check(const char* name, const Placed& placed, const Call& call) {
    out_.Set(std::vector<T>(placed.span(), GuardedRows<T>::Sentinel()));
    for (const Edge edge : {Edge::kNone, Edge::kBehind, Edge::kBefore}) {
      ASSERT_EQ(call(RowsAt(out_, placed, edge), edge), Error::kNone) << name;
    }
    ASSERT_TRUE(out_.Agree()) << name << ", rows " << placed.count << " gap " << placed.gap;
  }

  static std::vector<T> SomeX(std::size_t count) {
    std::vector<T> x(count);
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = FromBits<T>(static_cast<BitsOf<T>>((i + 1) * 0x9E3779B97F4A7C15u >> (64 - 8 * sizeof(T))));
    }
    return x;
  }

  void CheckAdd(const Placed& placed, std::int64_t start) {
    x_.Set(SomeX(placed.span()));
    const auto x_at = [&](Edge edge) { return Rows<const T>{x_.At(edge), placed.count, placed.stride()}; };
    Check("EncodeAddRange", placed,
          [&](Rows<T> out, Edge edge) { return encoder_.EncodeAddRange(start, 0.75, x_at(edge), out); });
    WithPositions([&](const char* name, auto& positions) {
      Check(name, placed,
            [&](Rows<T> out, Edge edge) { return encoder_.EncodeAdd(positions.SpanAt(edge), 0.75, x_at(edge), out); });
    });
    // In place.
    for (const Edge edge : {Edge::kNone, Edge::kBehind, Edge::kBefore}) {
      ASSERT_EQ(encoder_.EncodeAddRange(start, 0.75, x_at(edge), RowsAt(x_, placed, edge)), Error::kNone);
    }
    ASSERT_TRUE(x_.Agree()) << "in place, rows " << placed.count << " gap " << placed.gap;
  }

  // The sines at an edge and the cosines in ordinary memory, then both at edges.
  void CheckPlanes(std::size_t count, std::size_t gap, std::int64_t start) {
    const Spec& spec = encoder_.spec();
    const Placed sines{spec.odd == OddDim::kDropCos ? (dim_ + 1) / 2 : dim_ / 2, count, gap};
    const Placed cosines{dim_ / 2, count, gap};
    const auto check = [&](const char* name, const auto& call) {
      x_.Set(std::vector<T>(cosines.span(), GuardedRows<T>::Sentinel()));
      Check(name, sines, [&](Rows<T> sin, Edge edge) { return call(sin, RowsAt(x_, cosines, edge), edge); });
      ASSERT_TRUE(x_.Agree()) << name << ", cosines of rows " << count << " gap " << gap;
    };
    check("EncodePlanes of a range",
          [&](Rows<T> sin, Rows<T> cos, Edge) { return encoder_.EncodePlanes(start, sin, cos); });
    WithPositions([&](const char* name, auto& positions) {
      check(name, [&](Rows<T> sin, Rows<T> cos, Edge edge) {
        return encoder_.EncodePlanes(positions.SpanAt(edge), sin, cos);
      });
    });
  }

  // Two axes, the fast one of two positions or fewer.
  void CheckGrid(std::size_t count, std::size_t gap) {
    const std::span<const double> reals = reals_.SpanAt(Edge::kNone);
    const std::size_t fast = std::min<std::size_t>(count, 2);
    const Placed placed{2 * dim_ + 1, count / fast * fast, gap};
    if (placed.span() > kMostElements) return;
    slow_axis_.Set({reals.begin(), reals.begin() + static_cast<std::ptrdiff_t>(count / fast)});
    fast_axis_.Set({reals.begin(), reals.begin() + static_cast<std::ptrdiff_t>(fast)});
    Check("EncodeGrid", placed, [&](Rows<T> out, Edge edge) {
      const Axis axes[] = {{&encoder_, slow_axis_.SpanAt(edge), dim_ + 1}, {&encoder_, fast_axis_.SpanAt(edge), 0}};
      return EncodeGrid(std::span<const Axis>(axes), out);
    });
  }

  template <class P>
  void CheckRotate(std::size_t count, std::size_t gap, Copies<P>& positions) {
    const HeadShape shapes[] = {{1, 0}, {2, dim_ + 1}};
    for (const HeadShape& shape : shapes) {
      const std::size_t head_dim = shape.head_dim == 0 ? dim_ : shape.head_dim;
      const Placed placed{shape.heads * head_dim, count, gap};
      if (placed.span() > kMostElements) continue;
      x_.Set(SomeX(placed.span()));
      const auto x_at = [&](Edge edge) { return Rows<const T>{x_.At(edge), count, placed.stride()}; };
      Check("Rotate", placed,
            [&](Rows<T> out, Edge edge) { return encoder_.Rotate(positions.SpanAt(edge), shape, x_at(edge), out); });
      for (const Edge edge : {Edge::kNone, Edge::kBehind, Edge::kBefore}) {
        ASSERT_EQ(encoder_.Rotate(positions.SpanAt(edge), shape, x_at(edge), RowsAt(x_, placed, edge)), Error::kNone);
      }
      ASSERT_TRUE(x_.Agree()) << "Rotate in place, rows " << count << " gap " << gap;
    }
  }

  void CheckSimilarity() {
    similarities_.Set(std::vector<double>(integers_.size(), -1e300));
    for (const Edge edge : {Edge::kNone, Edge::kBehind, Edge::kBefore}) {
      ASSERT_EQ(encoder_.Similarity(integers_.SpanAt(edge), {similarities_.At(edge), similarities_.size()}),
                Error::kNone);
    }
    ASSERT_TRUE(similarities_.Agree());
  }

  const Encoder encoder_;
  const std::size_t dim_;
  Copies<T> out_{kMostElements};
  Copies<T> x_{kMostElements};
  Copies<std::int64_t> integers_{kMostElements};
  Copies<std::int32_t> small_{kMostElements};
  Copies<double> reals_{kMostElements};
  Copies<float> floats_{kMostElements};
  Copies<double> slow_axis_{kMostElements};
  Copies<double> fast_axis_{kMostElements};
  Copies<double> similarities_{kMostElements};
};

class GuardPages : public OnTarget {};
POSENC_TEST_ON_EVERY_TARGET(GuardPages);

// Both layouts; an odd dim with its last sine alone, and with a zero at the end.
template <class T>
void CheckDim(std::size_t dim, const std::vector<std::size_t>& counts) {
  for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
    Spec spec = SpecOf(dim);
    spec.layout = layout;
    spec.odd = dim % 4 == 1 ? OddDim::kZero : OddDim::kDropCos;
    SCOPED_TRACE(Describe(spec));
    EdgeCalls<T> calls(spec);
    for (const std::size_t count : counts) {
      for (const std::size_t gap : Sizes{0, 3}) calls.CheckAll(count, gap);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(GuardPages, OfAllSizesUpTo130Elements) {
  ForEveryType([]<class T>() {
    for (std::size_t dim = 1; dim <= 130; ++dim) {
      std::vector<std::size_t> counts(130 / dim);
      std::iota(counts.begin(), counts.end(), 1);
      CheckDim<T>(dim, counts);
    }
  });
}

// Whole groups of rows and their rests, at dims beside whole vectors.
TEST_P(GuardPages, OfGroupsOfRows) {
  ForEveryType([]<class T>() {
    for (const std::size_t dim : Sizes{7, 16, 34, 65, 130}) CheckDim<T>(dim, {31, 130});
  });
}

}  // namespace
}  // namespace posenc::test
