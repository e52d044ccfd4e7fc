// Test room sleef: sines and cosines by code of another hand, SLEEF's double sincospi with an error below 0.506 ulp.
// One file for each instruction set, because sleef.h shows its wide functions only to files compiled for them, and such
// a file must define nothing that the linker could take for the whole program.

#ifndef POSENC_TESTS_SLEEF_SINCOSPI_H_
#define POSENC_TESTS_SLEEF_SINCOSPI_H_

#include <stddef.h>

namespace posenc::test {

// sin[i] = sin(pi * half_turns[i]), cos[i] = cos(pi * half_turns[i]), |half_turns[i]| <= 1. count is a multiple of 8.
using SinCosPi = void(const double* half_turns, size_t count, double* sin, double* cos);

SinCosPi SleefSse2;
SinCosPi SleefAvx2;
SinCosPi SleefAvx512;
SinCosPi SleefAdvSimd;

}  // namespace posenc::test

#endif  // POSENC_TESTS_SLEEF_SINCOSPI_H_
