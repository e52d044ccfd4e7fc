// Test room specs: the Specs that tests share, from all fields of posenc.h.

#ifndef POSENC_TESTS_SPECS_H_
#define POSENC_TESTS_SPECS_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "posenc/posenc.h"

namespace posenc::test {

// Sizes to loop over.
using Sizes = std::initializer_list<std::size_t>;

Spec SpecOf(std::size_t dim, double base = 10000.0);

// Every layout x cos_first x odd rule x spacing, of one dim that may be odd (kError is left out then).
std::vector<Spec> PlacementSpecs(std::size_t dim);

// Specs that differ in what they multiply: bases, position scales, amplitudes, lists of frequencies with zeros,
// negative, huge and tiny ones.
std::vector<Spec> ValueSpecs();

// One of dim, whose fields vary with index, so that a sweep over dims meets all of them.
Spec VariedSpec(std::size_t dim, std::size_t index);

// What a failing test prints.
std::string Describe(const Spec& spec);

}  // namespace posenc::test

#endif  // POSENC_TESTS_SPECS_H_
