/* Numbers as 2^k times a fraction, of sqrt(1/2) up to sqrt(2). */
#ifndef BINARY_H
#define BINARY_H
#include "bits.h"

#define ROOT_HALF FORMAT(0x3fe6a09e667f3bcdu, 0x3f3504f3u)
#define LEAST_NORMAL FORMAT(0x1p-1022, 0x1p-126f)

/* The bits of a positive number, subnormal ones times 2^normal_shift. */
static inline word normal_bits(real x)
{
    return bits(x < LEAST_NORMAL ? x * FORMAT(0x1p54, 0x1p25f) : x);
}

static inline real normal_shift(real x)
{
    return x < LEAST_NORMAL ? FORMAT(54.0, 25.0f) : 0;
}

static inline real exponent(word u)
{
    word biased = (u + (ONE - ROOT_HALF)) >> PLACES;
    return number(biased | WHOLE) - (UNIT + BIAS);
}

static inline real fraction(word u)
{
    return number(((u + (ONE - ROOT_HALF)) & FRACTION) + ROOT_HALF);
}

#endif
