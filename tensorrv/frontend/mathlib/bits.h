/* The bits of numbers, and powers of two. */
#ifndef BITS_H
#define BITS_H
#include <string.h>
#include "real.h"

#define PLACES FORMAT(52, 23) /* bits of the fraction, the lowest ones */
#define FRACTION (((word)1 << PLACES) - 1u)
#define BIAS FORMAT(1023u, 127u)
#define SIGN FORMAT(63, 31) /* the place of the sign */
#define ONE ((word)BIAS << PLACES) /* the bits of 1 */
#define UNIT FORMAT(0x1p52, 0x1p23f) /* 2^PLACES */
#define WHOLE ((word)(BIAS + PLACES) << PLACES) /* the bits of UNIT; WHOLE + u are those of UNIT + u for u < UNIT */

static inline word bits(real x)
{
    word u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline real number(word u)
{
    real x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* A number of magnitude below UNIT / 2 plus ROUND is a number whose lowest bits are the nearest integer in two's complement. */
#define ROUND FORMAT(0x1.8p52, 0x1.8p23f)

/* 2^k for the integer k in the lowest bits of u, which is normal. */
static inline real power_of_two(word u)
{
    return number((u << PLACES) + ONE);
}

/* y 2^n in one rounding, for y between 1/2 and 2 and n = shifted - ROUND from -1100 (-160) on, where it is no infinity. Subnormal
 * results are found as whole numbers: on many processors arithmetic with subnormal numbers takes a hundred cycles and more, in lanes
 * whose results nobody wants too. */
static inline real scaled(real y, real shifted)
{
    word u = bits(y) + (bits(shifted) << PLACES);
    int tiny = (signed_word)u < (signed_word)(FRACTION + 1u);
    real whole = number(tiny ? u + (WHOLE - (FRACTION + 1u)) : WHOLE) + UNIT;
    return number(tiny ? bits(whole) - WHOLE : u);
}
#endif
