// Room similarity: frequencies, an amplitude and an offset go in, the sum of cosines comes out, from integer
// arithmetic. What the vectors of similarity-inl.h cannot decide.

#ifndef POSENC_SRC_SIMILARITY_SUM_H_
#define POSENC_SRC_SIMILARITY_SUM_H_

#include <cstddef>

#include "src/turns.h"

namespace posenc {

// amplitude^2 * sum of cos(2 pi * offset * turns[k]), k = 0 .. count - 1, rounded to nearest with ties to even,
// whatever the rounding mode of the CPU. An exact result (every angle is 0, or the amplitude is) is rounded exactly; a
// zero is +0.
//
// What is rounded is within n * 2^(m - 326) of the exact sum, times amplitude^2, where |offset * turns[k]| < 2^m and m
// is at least -50; where cosines are near 1 or -1 it is better, because what they lack of it has an error relative to
// itself. So the result is within 1 ulp unless |sum| < n * 2^(m - 272). With frequencies of at most 1 that is
// n * 2^-211 for the farthest offset, INT64_MIN; with any that a Spec may have, n * 2^-147. The exact sum is never 0:
// cosines of angles that differ are linearly independent over the algebraic numbers (Lindemann, Weierstrass), and none
// is subtracted here. Only frequencies that were searched for it, more than two or three of them at once, make sums
// that small.
double SumOfCosines(const Turns* turns, std::size_t count, const Position& offset, double amplitude) noexcept;

}  // namespace posenc

#endif  // POSENC_SRC_SIMILARITY_SUM_H_
