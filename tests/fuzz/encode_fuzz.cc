// Fuzz target encode: a Spec, a call of the library, positions, x and where rows stand come from the bytes; every bit
// written is compared with the repair room's, and what is not an element of a row must be as it was. A call that breaks
// a rule must be refused with that rule and have written nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/posenc.h"
#include "tests/fuzz/encode_case.h"
#include "tests/fuzz/expected_rows.h"
#include "tests/fuzz/fuzz.h"
#include "tests/rounding.h"
#include "tests/specs.h"
#include "tests/targets.h"

namespace posenc::fuzz {
namespace {

template <class P>
std::string PositionText(P position) {
  if constexpr (std::is_floating_point_v<P>) {
    return test::Describe(position);
  } else {
    return std::to_string(position);
  }
}

// The calls of one encoder with rows of T.
template <class T>
class Calls {
 public:
  Calls(const Encoder& encoder, Bytes* bytes)
      : encoder_(encoder), spec_(encoder.spec()), expected_(encoder.spec()), bytes_(*bytes) {}

  void Range() {
    const std::size_t count = TakeCount(&bytes_, spec_.dim);
    const RangeCase range = TakeRange(&bytes_);
    ExactRows<T> out = TakeRows<T>(&bytes_, spec_.dim, count);
    const Error error = encoder_.EncodeRange(range.start, out.rows(), range.step);
    const bool allowed = count == 0 || range.IsInt64(count);
    if (!Took("EncodeRange", error, allowed, Error::kRange, out)) return;
    CheckRows("EncodeRange", PositionsOf(range, count), out, 0.0, nullptr);
  }

  template <class P>
  void List() {
    const std::size_t count = TakeCount(&bytes_, spec_.dim);
    const std::vector<P> positions = TakePositions<P>(&bytes_, count);
    ExactRows<T> out = TakeRows<T>(&bytes_, spec_.dim, count);
    const Error error = encoder_.Encode(std::span<const P>(positions), out.rows());
    if (!Took("Encode", error, AreAllowed(positions), Error::kPosition, out)) return;
    CheckRows("Encode", positions, out, 0.0, nullptr);
  }

  void AddRange() {
    const std::size_t count = TakeCount(&bytes_, spec_.dim);
    const RangeCase range = TakeRange(&bytes_);
    if (count != 0 && !range.IsInt64(count)) return;  // Range() has this rule
    Add("EncodeAddRange", PositionsOf(range, count), [&](double x_scale, Rows<const T> x, Rows<T> out) {
      return encoder_.EncodeAddRange(range.start, x_scale, x, out, range.step);
    });
  }

  template <class P>
  void AddList() {
    const std::vector<P> positions = TakePositions<P>(&bytes_, TakeCount(&bytes_, spec_.dim));
    if (!AreAllowed(positions)) return;  // List() has this rule
    Add("EncodeAdd", positions, [&](double x_scale, Rows<const T> x, Rows<T> out) {
      return encoder_.EncodeAdd(std::span<const P>(positions), x_scale, x, out);
    });
  }

  void PlanesOfRange() {
    const std::size_t count = TakeCount(&bytes_, spec_.dim);
    const RangeCase range = TakeRange(&bytes_);
    if (count != 0 && !range.IsInt64(count)) return;
    Planes("EncodePlanes of a range", PositionsOf(range, count),
           [&](Rows<T> sin, Rows<T> cos) { return encoder_.EncodePlanes(range.start, sin, cos, range.step); });
  }

  template <class P>
  void PlanesOfList() {
    const std::vector<P> positions = TakePositions<P>(&bytes_, TakeCount(&bytes_, spec_.dim));
    if (!AreAllowed(positions)) return;
    Planes("EncodePlanes of a list", positions,
           [&](Rows<T> sin, Rows<T> cos) { return encoder_.EncodePlanes(std::span<const P>(positions), sin, cos); });
  }

  // Two axes of this encoder, the columns in either order, with a gap before, between and behind.
  void Grid() {
    const std::size_t slow = bytes_.Below(12);
    const std::size_t fast = std::min(bytes_.Below(12), kMostElements / (2 * spec_.dim * (slow + 1)));
    const std::vector<double> slow_positions = TakePositions<double>(&bytes_, slow);
    const std::vector<double> fast_positions = TakePositions<double>(&bytes_, fast);
    const std::size_t first = bytes_.Below(5);
    const std::size_t second = first + spec_.dim + bytes_.Below(5);
    const bool swapped = bytes_.Flag();
    const Axis axes[] = {{&encoder_, slow_positions, swapped ? second : first},
                         {&encoder_, fast_positions, swapped ? first : second}};
    const std::size_t elements = second + spec_.dim;
    ExactRows<T> out = TakeRows<T>(&bytes_, elements, slow * fast);
    const Error error = EncodeGrid(std::span<const Axis>(axes), out.rows());
    const bool allowed = slow * fast == 0 || (AreAllowed(slow_positions) && AreAllowed(fast_positions));
    if (!Took("EncodeGrid", error, allowed, Error::kPosition, out)) return;
    std::vector<T> want(elements);
    for (std::size_t r = 0; r < slow * fast; ++r) {
      std::ranges::fill(want, ExactRows<T>::Mark());
      expected_.Row<double, T>(slow_positions[r / fast], 0.0, nullptr, want.data() + axes[0].column);
      expected_.Row<double, T>(fast_positions[r % fast], 0.0, nullptr, want.data() + axes[1].column);
      CheckRow("EncodeGrid", r, static_cast<std::int64_t>(r), out.row(r), want);
    }
    out.RequireMarks(false);
  }

  template <class P>
  void Rotations() {
    HeadShape shape;
    shape.heads = bytes_.Below(4);
    shape.head_dim = bytes_.Flag() ? spec_.dim + bytes_.Below(20) : 0;
    const std::size_t head_dim = shape.head_dim == 0 ? spec_.dim : shape.head_dim;
    const std::size_t elements = shape.heads * head_dim;
    const std::vector<P> positions = TakePositions<P>(&bytes_, TakeCount(&bytes_, elements));
    const bool in_place = bytes_.Flag();
    ExactRows<T> out = TakeRows<T>(&bytes_, elements, positions.size());
    ExactRows<T> x = TakeRows<T>(&bytes_, elements, positions.size());
    ExactRows<T>& from = in_place ? out : x;
    FillX(&from, [this](std::size_t r, std::size_t i) { return AnyX(r, i); });
    const std::vector<T> before = Packed(from);
    const Error error =
        encoder_.Rotate(std::span<const P>(positions), shape, in_place ? out.const_rows() : x.const_rows(), out.rows());
    const bool is_empty = positions.empty() || elements == 0;
    const Error want_error = spec_.dim % 2 != 0                  ? Error::kEvenDim
                             : is_empty || AreAllowed(positions) ? Error::kNone
                                                                 : Error::kPosition;
    RequireError("Rotate", error, want_error);
    if (in_place || error == Error::kNone) {
      out.RequireMarks(false);
    } else {
      out.RequireMarks(true);
    }
    std::vector<T> want(elements);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(r * elements), elements, want.begin());
      if (error == Error::kNone) {
        for (std::size_t head = 0; head < shape.heads; ++head) {
          T* const elements_of_head = want.data() + head * head_dim;
          expected_.Head<P, T>(positions[r], head_dim, elements_of_head, elements_of_head);
        }
        CheckRow("Rotate", r, positions[r], out.row(r), want);
      } else {
        CheckRow("a refused Rotate", r, positions[r], from.row(r), want);
      }
    }
  }

 private:
  static std::vector<std::int64_t> PositionsOf(const RangeCase& range, std::size_t count) {
    std::vector<std::int64_t> positions(count);
    for (std::size_t r = 0; r < count; ++r) {
      positions[r] = static_cast<std::int64_t>(static_cast<std::uint64_t>(range.start) +
                                               static_cast<std::uint64_t>(range.step) * r);
    }
    return positions;
  }

  std::string Where(const char* call) const {
    return std::string(call) + " of " + test::Format<T>::kName + " on " + ActiveTarget() + ", " + test::Describe(spec_);
  }

  void RequireError(const char* call, Error got, Error want) const {
    Require(got == want, [&] { return Where(call) + ": \"" + Message(got) + "\" and not \"" + Message(want) + "\""; });
  }

  // Whether the call was to be taken, and was.
  bool Took(const char* call, Error error, bool allowed, Error rule, const ExactRows<T>& out) const {
    RequireError(call, error, allowed ? Error::kNone : rule);
    if (!allowed) out.RequireMarks(true);
    return allowed;
  }

  template <class P>
  void CheckRow(const char* call, std::size_t r, P position, const T* got, const std::vector<T>& want) const {
    for (std::size_t i = 0; i < want.size(); ++i) {
      Require(test::Same(got[i], want[i]), [&] {
        return Where(call) + ": row " + std::to_string(r) + " position " + PositionText(position) + " element " +
               std::to_string(i) + " is " + test::Describe(got[i]) + " and not " + test::Describe(want[i]);
      });
    }
  }

  // x: what was there before, packed; null without x.
  template <class P>
  void CheckRows(const char* call, const std::vector<P>& positions, const ExactRows<T>& out, double x_scale,
                 const T* x) const {
    std::vector<T> want(spec_.dim);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      expected_.Row<P, T>(positions[r], x_scale, x == nullptr ? nullptr : x + r * spec_.dim, want.data());
      CheckRow(call, r, positions[r], out.row(r), want);
    }
    out.RequireMarks(false);
  }

  static std::vector<T> Packed(const ExactRows<T>& rows) {
    std::vector<T> packed;
    for (std::size_t r = 0; r < rows.count(); ++r) {
      packed.insert(packed.end(), rows.row(r), rows.row(r) + rows.elements());
    }
    return packed;
  }

  template <class X>
  static void FillX(ExactRows<T>* rows, const X& x) {
    for (std::size_t r = 0; r < rows->count(); ++r) {
      for (std::size_t i = 0; i < rows->elements(); ++i) rows->row(r)[i] = x(r, i);
    }
  }

  // All bit patterns, or numbers near 1, from a seed of the bytes.
  T AnyX(std::size_t r, std::size_t i) {
    if (x_seed_ == 0) x_seed_ = 2 * bytes_.Take<std::uint32_t>() + 1;
    const std::uint64_t random = (r * 8192 + i + 1) * (x_seed_ * 0x9E3779B97F4A7C15u | 1);
    test::BitsOf<T> bits = static_cast<test::BitsOf<T>>(random >> (64 - 8 * sizeof(T)));
    if (x_seed_ % 4 == 1) {
      // The exponent field of 1.
      constexpr int kFraction = test::Format<T>::kPrecision - 1;
      constexpr test::BitsOf<T> kOne =
          static_cast<test::BitsOf<T>>((test::InfinityBits<T>() >> (kFraction + 1)) << kFraction);
      const test::BitsOf<T> exponent = test::InfinityBits<T>();
      bits = static_cast<test::BitsOf<T>>((bits & ~exponent) | kOne);
    }
    return test::FromBits<T>(bits);
  }

  template <class P, class Call>
  void Add(const char* name, const std::vector<P>& positions, const Call& call) {
    const double x_scale = bytes_.Real(1.0);
    const bool in_place = bytes_.Flag();
    const bool cancels = bytes_.Flag();
    ExactRows<T> out = TakeRows<T>(&bytes_, spec_.dim, positions.size());
    ExactRows<T> x = TakeRows<T>(&bytes_, spec_.dim, positions.size());
    ExactRows<T>& from = in_place ? out : x;
    if (cancels) {
      // x is the encoding with the other sign: what is left is what its rounding dropped.
      std::vector<T> row(spec_.dim);
      for (std::size_t r = 0; r < positions.size(); ++r) {
        expected_.Row<P, T>(positions[r], 0.0, nullptr, row.data());
        for (std::size_t i = 0; i < spec_.dim; ++i) {
          from.row(r)[i] = test::FromBits<T>(static_cast<test::BitsOf<T>>(test::ToBits(row[i]) ^ test::SignBit<T>()));
        }
      }
    } else {
      FillX(&from, [this](std::size_t r, std::size_t i) { return AnyX(r, i); });
    }
    const std::vector<T> before = Packed(from);
    const Error error = call(x_scale, in_place ? out.const_rows() : x.const_rows(), out.rows());
    const bool allowed = positions.empty() || std::isfinite(x_scale);
    RequireError(name, error, allowed ? Error::kNone : Error::kXScale);
    if (allowed) {
      CheckRows(name, positions, out, x_scale, before.data());
    } else if (!in_place) {
      out.RequireMarks(true);
    }
  }

  template <class P, class Call>
  void Planes(const char* name, const std::vector<P>& positions, const Call& call) {
    const std::size_t sines = expected_.shape().sines;
    const std::size_t cosines = expected_.shape().cosines;
    const bool in_one_table = bytes_.Flag();
    ExactRows<T> sin = TakeRows<T>(&bytes_, in_one_table ? sines + cosines : sines, positions.size());
    ExactRows<T> cos = TakeRows<T>(&bytes_, cosines, positions.size());
    Rows<T> cos_rows = in_one_table ? sin.rows() : cos.rows();
    if (in_one_table) cos_rows.data += sines;
    RequireError(name, call(sin.rows(), cos_rows), Error::kNone);
    std::vector<T> want_sin(sines), want_cos(cosines);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      expected_.Planes<P, T>(positions[r], want_sin.data(), want_cos.data());
      CheckRow(name, r, positions[r], sin.row(r), want_sin);
      CheckRow(name, r, positions[r], in_one_table ? sin.row(r) + sines : cos.row(r), want_cos);
    }
    sin.RequireMarks(false);
    cos.RequireMarks(in_one_table);
  }

  const Encoder& encoder_;
  const Spec& spec_;
  const ExpectedRows expected_;
  Bytes& bytes_;
  std::uint64_t x_seed_ = 0;
};

// Similarity has no oracle in the repair room. Its value does not depend on the target or on the sign of the offset.
void CheckSimilarity(const Encoder& encoder, Bytes* bytes) {
  const Spec& spec = encoder.spec();
  std::vector<std::int64_t> offsets(bytes->Below(20));
  for (std::int64_t& offset : offsets) offset = bytes->Integer();
  std::vector<std::int64_t> negated(offsets);
  for (std::int64_t& offset : negated) offset = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(offset));
  std::vector<double> first(offsets.size());
  const Error error = encoder.Similarity(offsets, first);
  const bool is_paired = spec.dim % 2 == 0 || spec.odd == OddDim::kZero;
  const auto where = [&] { return std::string("Similarity on ") + ActiveTarget() + ", " + test::Describe(spec); };
  Require(error == (is_paired ? Error::kNone : Error::kUnpairedSine), where);
  if (error != Error::kNone) return;
  for (const std::int64_t target : test::RunnableTargets()) {
    const test::ForcedTarget forced(target);
    std::vector<double> again(offsets.size());
    Require(encoder.Similarity(negated, again) == Error::kNone, where);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      // The offset -2^63 is its own negative in 64 bits.
      Require(test::Same(first[i], again[i]), [&] {
        return where() + ": offset " + std::to_string(offsets[i]) + " gives " + test::Describe(first[i]) +
               ", and negated " + test::Describe(again[i]);
      });
    }
  }
}

template <class T, class P>
void CallWithPositions(std::size_t call, const Encoder& encoder, Bytes* bytes) {
  Calls<T> calls(encoder, bytes);
  switch (call) {
    case 0:
      return calls.Range();
    case 1:
      return calls.template List<P>();
    case 2:
      return calls.AddRange();
    case 3:
      return calls.template AddList<P>();
    case 4:
      return calls.PlanesOfRange();
    case 5:
      return calls.template PlanesOfList<P>();
    case 6:
      return calls.template Rotations<P>();
    case 7:
      return calls.Grid();
    default:
      return CheckSimilarity(encoder, bytes);
  }
}

template <class T>
void CallWithType(std::size_t call, std::size_t position_type, const Encoder& encoder, Bytes* bytes) {
  switch (position_type) {
    case 0:
      return CallWithPositions<T, std::int64_t>(call, encoder, bytes);
    case 1:
      return CallWithPositions<T, double>(call, encoder, bytes);
    case 2:
      return CallWithPositions<T, std::int32_t>(call, encoder, bytes);
    default:
      return CallWithPositions<T, float>(call, encoder, bytes);
  }
}

void CheckRefusal(const Spec& spec, const Result<Encoder>& made) {
  const auto where = [&] { return test::Describe(spec) + " was refused: " + Message(made.error); };
  float element = 0.5f;
  Require(made.value.EncodeRange(0, Rows<float>{&element, 1, 0}) == Error::kNotMade && element == 0.5f, where);
  // One rule needs arithmetic; the others are about fields, and some field breaks one.
  Require((made.error == Error::kFrequency) == (Validate(spec) == Error::kNone), where);
}

}  // namespace
}  // namespace posenc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;  // NOLINT(google-build-using-namespace): the entry has a C name
  static const std::vector<std::int64_t> targets = test::RunnableTargets();
  fuzz::Bytes bytes(data, size);
  const std::size_t call = bytes.Below(9);
  const std::size_t type = bytes.Below(4);
  const std::size_t position_type = bytes.Below(4);
  const test::ForcedTarget forced(targets[bytes.Below(targets.size())]);
  fuzz::Require(static_cast<bool>(forced.Took()), [] { return "the target was not taken"; });
  const Spec spec = fuzz::TakeSpec(&bytes);
  const Result<Encoder> made = Encoder::Make(spec);
  if (!made) {
    fuzz::CheckRefusal(spec, made);
    return 0;
  }
  switch (type) {
    case 0:
      fuzz::CallWithType<float>(call, position_type, made.value, &bytes);
      break;
    case 1:
      fuzz::CallWithType<double>(call, position_type, made.value, &bytes);
      break;
    case 2:
      fuzz::CallWithType<Half>(call, position_type, made.value, &bytes);
      break;
    default:
      fuzz::CallWithType<BFloat16>(call, position_type, made.value, &bytes);
      break;
  }
  return 0;
}
