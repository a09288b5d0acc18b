/* Numbers as 2^k times a fraction, of sqrt(1/2) up to sqrt(2). */
#ifndef BINARY_H
#define BINARY_H
#include "bits.h"

#define ROOT_HALF 0x3fe6a09e667f3bcdu
#define ROOT_HALFF 0x3f3504f3u

/* The bits of a positive number, subnormal ones times 2^normal_shift. */
static inline uint64_t normal_bits(double x)
{
    return bits(x < 0x1p-1022 ? x * 0x1p54 : x);
}

static inline double normal_shift(double x)
{
    return x < 0x1p-1022 ? 54.0 : 0.0;
}

static inline uint32_t normal_bitsf(float x)
{
    return bitsf(x < 0x1p-126f ? x * 0x1p25f : x);
}

static inline float normal_shiftf(float x)
{
    return x < 0x1p-126f ? 25.0f : 0.0f;
}

static inline double exponent(uint64_t u)
{
    uint64_t biased = (u + (0x3ff0000000000000u - ROOT_HALF)) >> 52;
    return number(biased | 0x4330000000000000u) - (0x1p52 + 1023.0);
}

static inline double fraction(uint64_t u)
{
    return number(((u + (0x3ff0000000000000u - ROOT_HALF)) & 0x000fffffffffffffu) + ROOT_HALF);
}

static inline float exponentf(uint32_t u)
{
    uint32_t biased = (u + (0x3f800000u - ROOT_HALFF)) >> 23;
    return numberf(biased | 0x4b000000u) - (0x1p23f + 127.0f);
}

static inline float fractionf(uint32_t u)
{
    return numberf(((u + (0x3f800000u - ROOT_HALFF)) & 0x007fffffu) + ROOT_HALFF);
}

#endif
