// Test room specs: lists of Specs for the sweeps.

#include "tests/specs.h"

#include <cmath>
#include <sstream>

namespace posenc::test {

Spec SpecOf(std::size_t dim, double base) {
  Spec spec;
  spec.dim = dim;
  spec.base = base;
  return spec;
}

std::vector<Spec> PlacementSpecs(std::size_t dim) {
  std::vector<Spec> specs;
  for (const Layout layout : {Layout::kInterleaved, Layout::kSplit}) {
    for (const bool cos_first : {false, true}) {
      for (const OddDim odd : {OddDim::kError, OddDim::kZero, OddDim::kDropCos}) {
        if (odd == OddDim::kError && dim % 2 != 0) continue;
        for (const Spacing spacing : {Spacing::kExclusive, Spacing::kInclusive}) {
          Spec spec = SpecOf(dim);
          spec.layout = layout;
          spec.cos_first = cos_first;
          spec.odd = odd;
          spec.spacing = spacing;
          specs.push_back(spec);
        }
      }
    }
  }
  return specs;
}

std::vector<Spec> ValueSpecs() {
  std::vector<Spec> specs;
  for (const double base : {1.0, 0.5, 2.5, 1e2, 1e4, 5e5, 1e6, 1234567.891, 1e12, 0x1p-40}) {
    specs.push_back(SpecOf(24, base));
  }
  for (const double scale : {0.0, -1.0, 1000.0, 6.283185307179586, 0x1p-60, -3.7e-5, 0x1.fffffffffffffp20}) {
    Spec spec = SpecOf(24);
    spec.position_scale = scale;
    specs.push_back(spec);
  }
  // 1 + 2^-24 makes every cosine of position 0 a tie between two floats; the others reach the ends of the types.
  for (const double amplitude : {0.0, -1.0, 0.5, 0x1.000001p0, -0x1.6a09e667f3bcdp3, 0x1p-20, 0x1p-127, 0x1p-140,
                                 0x1.fffffep127, 0x1.ffffffp127, 1e300, -1e-320}) {
    Spec spec = SpecOf(24);
    spec.amplitude = amplitude;
    specs.push_back(spec);
  }
  Spec listed = SpecOf(26);
  listed.inv_freq = {1.0, 0.0,   -1.0,  3.0, -0.25, 1e-3, 1e-20, -1e-300, 0x1p-1074, 0.8660254037844386,
                     1e6, -1e15, 0x1p64};
  specs.push_back(listed);
  listed.layout = Layout::kSplit;
  listed.position_scale = -0.5;
  listed.amplitude = 1.25;
  specs.push_back(listed);
  Spec zeros = SpecOf(8);
  zeros.inv_freq = {0.0, 0.0, -0.0, 0.0};
  specs.push_back(zeros);
  // Right angles, as near as a double comes to them: sines and cosines near 0 and near 1 at every position.
  Spec right = SpecOf(6);
  right.inv_freq = {1.5707963267948966, 3.141592653589793, 6.283185307179586};
  specs.push_back(right);
  return specs;
}

Spec VariedSpec(std::size_t dim, std::size_t index) {
  Spec spec = SpecOf(dim, index % 3 == 0 ? 10000.0 : index % 3 == 1 ? 500000.0 : 37.5);
  spec.layout = index % 2 == 0 ? Layout::kInterleaved : Layout::kSplit;
  spec.cos_first = index / 2 % 2 != 0;
  spec.spacing = index / 4 % 2 == 0 ? Spacing::kExclusive : Spacing::kInclusive;
  spec.odd = dim % 2 == 0 ? OddDim::kError : index / 3 % 2 == 0 ? OddDim::kZero : OddDim::kDropCos;
  if (index % 5 == 4) spec.amplitude = std::ldexp(-1.25, static_cast<int>(index % 7));
  if (index % 7 == 3) spec.position_scale = -0.75;
  return spec;
}

std::string Describe(const Spec& spec) {
  std::ostringstream text;
  text << std::hexfloat << "dim " << spec.dim << " base " << spec.base << " scale " << spec.position_scale
       << " amplitude " << spec.amplitude << (spec.layout == Layout::kSplit ? " split" : " interleaved")
       << (spec.cos_first ? " cos_first" : "") << (spec.spacing == Spacing::kInclusive ? " inclusive" : "")
       << (spec.odd == OddDim::kZero      ? " zero"
           : spec.odd == OddDim::kDropCos ? " drop_cos"
                                          : "");
  if (!spec.inv_freq.empty()) text << " inv_freq of " << spec.inv_freq.size();
  return text.str();
}

}  // namespace posenc::test
