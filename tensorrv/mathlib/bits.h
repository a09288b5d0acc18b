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

/* y 2^n in one rounding, for y between 1/2 and 2 and n = shifted - ROUND from -1100 (-160) on, where it is no infinity. Subnormal
 * results are found as whole numbers: on many processors arithmetic with subnormal numbers takes a hundred cycles and more, in lanes
 * whose results nobody wants too. */
static inline double scaled(double y, double shifted)
{
    uint64_t u = bits(y) + (bits(shifted) << 52);
    int tiny = (int64_t)u < 0x0010000000000000;
    double whole = number(tiny ? u + 0x4320000000000000u : 0x4330000000000000u) + 0x1p52;
    return number(tiny ? bits(whole) - 0x4330000000000000u : u);
}

static inline float scaledf(float y, float shifted)
{
    uint32_t u = bitsf(y) + (bitsf(shifted) << 23);
    int tiny = (int32_t)u < 0x00800000;
    float whole = numberf(tiny ? u + 0x4a800000u : 0x4b000000u) + 0x1p23f;
    return numberf(tiny ? bitsf(whole) - 0x4b000000u : u);
}
#endif
