// Fuzz room: a Spec, a position and what a call adds or rotates go in, the row that the call must write comes out, from
// the frequencies and the repair room alone: no vector, kernel or store has a part in it.

#ifndef POSENC_TESTS_FUZZ_EXPECTED_ROWS_H_
#define POSENC_TESTS_FUZZ_EXPECTED_ROWS_H_

#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "posenc/posenc.h"
#include "src/repair.h"
#include "src/spec.h"
#include "src/turns.h"
#include "tests/fuzz/fuzz.h"
#include "tests/rounding.h"

namespace posenc::fuzz {

class ExpectedRows {
 public:
  // Of a Spec that Make took.
  explicit ExpectedRows(const Spec& spec) : spec_(spec), shape_(ShapeOf(spec)), turns_(shape_.sines) {
    const Error error = ComputeTurns(spec, turns_.size(), turns_.data());
    Require(error == Error::kNone, [] { return "Make took a Spec whose frequencies are refused"; });
  }

  const RowShape& shape() const { return shape_; }

  // The row of a position: PE, or x_scale * x + PE. x may be null and may be out.
  template <class P, class T>
  void Row(P position, double x_scale, const T* x, T* out) const {
    for (std::size_t k = 0; k < shape_.sines; ++k) {
      const bool is_paired = k < shape_.cosines;
      const std::size_t at = is_paired ? shape_.sin_first + k * shape_.step : shape_.LastSine();
      out[at] = Element<T>(position, k, Wave::kSin, x_scale, x == nullptr ? nullptr : x + at);
    }
    for (std::size_t k = 0; k < shape_.cosines; ++k) {
      const std::size_t at = shape_.cos_first + k * shape_.step;
      out[at] = Element<T>(position, k, Wave::kCos, x_scale, x == nullptr ? nullptr : x + at);
    }
    if (!shape_.zero_last) return;
    // The last element has no wave: it is 0, whatever the position, and x is added to it.
    const std::size_t last = spec_.dim - 1;
    if (x == nullptr) {
      out[last] = test::FromBits<T>(0);
    } else {
      const Addend addend{x_scale, test::ToDouble(x[last])};
      out[last] = Repair<T>(Turns{}, Position{}, Wave::kCos, 0.0, &addend);
    }
  }

  // The sines and the cosines of a position.
  template <class P, class T>
  void Planes(P position, T* sin, T* cos) const {
    for (std::size_t k = 0; k < shape_.sines; ++k) sin[k] = Element<T>(position, k, Wave::kSin, 0.0, nullptr);
    for (std::size_t k = 0; k < shape_.cosines; ++k) cos[k] = Element<T>(position, k, Wave::kCos, 0.0, nullptr);
  }

  // A rotated head of head_dim elements. head and out may be the same.
  template <class P, class T>
  void Head(P position, std::size_t head_dim, const T* head, T* out) const {
    const bool is_interleaved = spec_.layout == Layout::kInterleaved;
    const std::optional<Position> exact = Exact(position);
    for (std::size_t k = 0; k < spec_.dim / 2; ++k) {
      const std::size_t first = is_interleaved ? 2 * k : k;
      const std::size_t second = is_interleaved ? 2 * k + 1 : k + spec_.dim / 2;
      const double a = test::ToDouble(head[first]);
      const double b = test::ToDouble(head[second]);
      out[first] = exact ? RepairRotation<T>(turns_[k], *exact, spec_.amplitude, a, -b) : Nan<T>();
      out[second] = exact ? RepairRotation<T>(turns_[k], *exact, spec_.amplitude, b, a) : Nan<T>();
    }
    for (std::size_t i = spec_.dim; i < head_dim; ++i) out[i] = head[i];
  }

 private:
  template <class T>
  static T Nan() {
    return test::FromBits<T>(test::QuietNanBits<T>());
  }

  // Nothing for NaN and infinity.
  template <class P>
  static std::optional<Position> Exact(P position) {
    if constexpr (std::is_floating_point_v<P>) {
      if (!std::isfinite(position)) return std::nullopt;
      return PositionOf(double{position});
    } else {
      return PositionOf(std::int64_t{position});
    }
  }

  template <class T, class P>
  T Element(P position, std::size_t k, Wave wave, double x_scale, const T* x) const {
    const std::optional<Position> exact = Exact(position);
    if (!exact) return Nan<T>();
    if (x == nullptr) return Repair<T>(turns_[k], *exact, wave, spec_.amplitude, nullptr);
    const Addend addend{x_scale, test::ToDouble(*x)};
    return Repair<T>(turns_[k], *exact, wave, spec_.amplitude, &addend);
  }

  Spec spec_;
  RowShape shape_;
  std::vector<Turns> turns_;
};

}  // namespace posenc::fuzz

#endif  // POSENC_TESTS_FUZZ_EXPECTED_ROWS_H_
