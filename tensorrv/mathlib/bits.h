/* The bits of numbers, and powers of two. */
#ifndef BITS_H
#define BITS_H
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double number(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint32_t bitsf(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float numberf(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* A number of magnitude below 2^51 plus ROUND is a number whose lowest bits are the nearest integer in two's complement. */
#define ROUND 0x1.8p52
#define ROUNDF 0x1.8p23f

/* 2^k for the integer k in the lowest bits of u, which is normal. */
static inline double power_of_two(uint64_t u)
{
    return number((u << 52) + 0x3ff0000000000000u);
}

static inline float power_of_twof(uint32_t u)
{
    return numberf((u << 23) + 0x3f800000u);
}

/* y 2^n in one rounding, for n = shifted - ROUND, an integer of up to twice the exponent range. */
static inline double scaled(double y, double n, double shifted)
{
    uint64_t k = bits(shifted), k1 = bits(fma(n, 0.5, ROUND));
    return y * power_of_two(k1) * power_of_two(k - k1);
}

static inline float scaledf(float y, float n, float shifted)
{
    uint32_t k = bitsf(shifted), k1 = bitsf(fmaf(n, 0.5f, ROUNDF));
    return y * power_of_twof(k1) * power_of_twof(k - k1);
}
#endif
