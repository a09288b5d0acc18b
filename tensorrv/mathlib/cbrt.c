/* cbrt: |x| = 8^q m with 1 <= m < 8; a polynomial guesses 1 / cbrt(m), one step of third order makes it good, and the cube root
 * that follows is corrected once with the exact difference of its cube from m. Polynomials by tools/polynomials.py. */
#include "bits.h"

#define ROOT_HALF3 0x1.965fea53d6e3dp-1 /* cbrt(1/2) */
#define ROOT_QUARTER3 0x1.428a2f98d728bp-1 /* cbrt(1/4) */

double cbrt(double x)
{
    double y = fabs(x);
    int small = y < 0x1p-1022;
    uint64_t u = bits(small ? y * 0x1p54 : y);
    uint64_t biased = u >> 52;
    /* a third of the exponent, rounded down, in the lowest bits */
    double third = fma(number(biased | 0x4330000000000000u) - 0x1p52, 0x1.5555555555555p-2, -0x1.5555555555555p-2) + ROUND;
    uint64_t q = bits(third);
    uint64_t rest = (biased - 3u * q) & 3u;
    double g = number((u & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    double m = number((u & 0x000fffffffffffffu) | (rest + 1023u) << 52);
    double z = g * g;
    double even = fma(fma(0x1.c9cd2109f3555p-6, z, 0x1.5fa3c8cc1fb7ap-1), z, 0x1.aac1dcbe9112ap+0);
    double odd = fma(-0x1.bd14a4940a717p-3, z, -0x1.2a1b39cf85dcfp+0);
    double guess = fma(odd, g, even);
    double r = guess * (rest == 0u ? 1.0 : rest == 1u ? ROOT_HALF3 : ROOT_QUARTER3);
    double e = fma(-m * r, r * r, 1.0);
    r = fma(r * e, fma(e, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), r);
    double c = m * r * r;
    double square = c * c;
    double lack = fma(square, c, -m) + fma(c, c, -square) * c;
    c = fma(lack, r * r * -0x1.5555555555555p-2, c);
    double root = copysign(c * power_of_two(q - (small ? 359u : 341u)), x);
    return x == 0.0 || !(y < INFINITY) ? x + x : root;
}

float cbrtf(float x)
{
    float y = fabsf(x);
    int small = y < 0x1p-126f;
    uint32_t u = bitsf(small ? y * 0x1p24f : y);
    uint32_t biased = (u >> 23) + 2u;
    float third = fmaf(numberf(biased | 0x4b000000u) - 0x1p23f, 0x1.555556p-2f, -0x1.555556p-2f) + ROUNDF;
    uint32_t q = bitsf(third);
    uint32_t rest = (biased - 3u * q) & 3u;
    float g = numberf((u & 0x007fffffu) | 0x3f800000u);
    float m = numberf((u & 0x007fffffu) | (rest + 127u) << 23);
    float z = g * g;
    float even = fmaf(0x1.4073ap-2f, z, 0x1.89dd08p+0f);
    float odd = fmaf(-0x1.905f7cp-5f, z, -0x1.9b140ap-1f);
    float guess = fmaf(odd, g, even);
    float r = guess * (rest == 0u ? 1.0f : rest == 1u ? (float)ROOT_HALF3 : (float)ROOT_QUARTER3);
    float e = fmaf(-m * r, r * r, 1.0f);
    r = fmaf(r * e, fmaf(e, 0x1.c71c72p-3f, 0x1.555556p-2f), r);
    float c = m * r * r;
    float square = c * c;
    float lack = fmaf(square, c, -m) + fmaf(c, c, -square) * c;
    c = fmaf(lack, r * r * -0x1.555556p-2f, c);
    float root = copysignf(c * power_of_twof(q - (small ? 51u : 43u)), x);
    return x == 0.0f || !(y < INFINITY) ? x + x : root;
}
