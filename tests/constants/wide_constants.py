#!/usr/bin/env python3
"""Prints the limbs of the constants of src/wide.h: 1/(2 pi) and 2 pi, rounded down to 384 bits.

pi is 16 atan(1/5) - 4 atan(1/239) (Machin 1706) in integers with 64 guard bits, so only the standard library is needed.
"""

LIMBS = 6
GUARD = 64
BITS = 64 * LIMBS + GUARD


def inverse_tangent(n):
    """atan(1/n) * 2^BITS, within one unit a term."""
    power = (1 << BITS) // n
    total, k, sign = 0, 1, 1
    while power:
        total += sign * (power // k)
        power //= n * n
        k, sign = k + 2, -sign
    return total


def show(name, numerator, denominator):
    """floor of the 384 highest bits of numerator / denominator, and e with the value in [2^(e-1), 2^e)."""
    exponent = numerator.bit_length() - denominator.bit_length()
    if numerator << max(0, -exponent) >= denominator << max(0, exponent):
        exponent += 1
    shift = 64 * LIMBS - exponent
    mantissa = (numerator << shift) // denominator
    assert mantissa.bit_length() == 64 * LIMBS
    limbs = ", ".join(f"0x{mantissa >> (64 * i) & (1 << 64) - 1:016x}" for i in range(LIMBS))
    print(f"{name}: {{{{{limbs}}}, {exponent}, false}}")


pi = 16 * inverse_tangent(5) - 4 * inverse_tangent(239)
show("kInverseTwoPi", 1 << BITS, 2 * pi)
show("kTwoPi", 2 * pi, 1 << BITS)
