/* cbrt: |x| = 8^q m with 1 <= m < 8; a polynomial guesses 1 / cbrt(m), one step of third order makes it good, and the cube root
 * that follows is corrected once with the exact difference of its cube from m. Polynomials by tools/polynomials.py. */
#include "bits.h"

#define ROOT_HALF3 FORMAT(0x1.965fea53d6e3dp-1, 0x1.965feap-1f) /* cbrt(1/2) */
#define ROOT_QUARTER3 FORMAT(0x1.428a2f98d728bp-1, 0x1.428a3p-1f) /* cbrt(1/4) */
#define THIRD FORMAT(0x1.5555555555555p-2, 0x1.555556p-2f)
#define TWO_NINTHS FORMAT(0x1.c71c71c71c71cp-3, 0x1.c71c72p-3f)

real cbrt(real x)
{
    real y = fabs(x);
    int small = y < FORMAT(0x1p-1022, 0x1p-126f);
    word u = bits(small ? y * FORMAT(0x1p54, 0x1p24f) : y);
    word biased = (u >> PLACES) + FORMAT(0u, 2u); /* one third of the bias is whole then */
    /* a third of the exponent, rounded down, in the lowest bits */
    real third = fma(number(biased | WHOLE) - UNIT, THIRD, -THIRD) + ROUND;
    word q = bits(third);
    word rest = (biased - 3u * q) & 3u;
    real g = number((u & FRACTION) | ONE);
    real m = number((u & FRACTION) | (rest + BIAS) << PLACES);
    real z = g * g;
#ifdef FLOAT
    float even = fma(0x1.4073ap-2f, z, 0x1.89dd08p+0f);
    float odd = fma(-0x1.905f7cp-5f, z, -0x1.9b140ap-1f);
#else
    double even = fma(fma(0x1.c9cd2109f3555p-6, z, 0x1.5fa3c8cc1fb7ap-1), z, 0x1.aac1dcbe9112ap+0);
    double odd = fma(-0x1.bd14a4940a717p-3, z, -0x1.2a1b39cf85dcfp+0);
#endif
    real guess = fma(odd, g, even);
    real r = guess * (rest == 0u ? 1 : rest == 1u ? ROOT_HALF3 : ROOT_QUARTER3);
    real e = fma(-m * r, r * r, 1);
    r = fma(r * e, fma(e, TWO_NINTHS, THIRD), r);
    real c = m * r * r;
    real square = c * c;
    real lack = fma(square, c, -m) + fma(c, c, -square) * c;
    c = fma(lack, r * r * -THIRD, c);
    real root = copysign(c * power_of_two(q - (small ? FORMAT(359u, 51u) : FORMAT(341u, 43u))), x);
    return x == 0 || !(y < INFINITY) ? x + x : root;
}
