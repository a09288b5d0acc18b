/* exp, exp2, expm1: x = n ln 2 + r, a polynomial in |r| <= ln(2)/2, and 2^n in the exponent's bits. Polynomials by
 * tools/polynomials.py. */
#include "bits.h"
#include "constants.h"
#include "exp_rest.h"
#include "exp2_rest.h"

#define LOG_OF_LARGEST FORMAT(0x1.62e42fefa39efp+9, 0x1.62e42ep+6f) /* numbers beyond overflow */

real exp(real x)
{
    real least = FORMAT(-746.0, -104.0f), t = x < least ? least : x;
    real shifted = fma(t, LOG2E, ROUND), n = shifted - ROUND;
    real r = fma(n, -LN2_REST, fma(n, -LN2, t));
    real z = r * r, y = scaled(1 + fma(z, exp_rest(r, z), r), shifted);
    return !(x <= LOG_OF_LARGEST) ? x * (real)INFINITY : y; /* of NaNs a NaN */
}

real exp2(real x)
{
    real least = FORMAT(-1076.0, -151.0f), t = x < least ? least : x;
    real shifted = t + ROUND, n = shifted - ROUND, r = t - n;
    real y = scaled(fma(r, exp2_rest(r, r * r), 1), shifted);
    return !(x < FORMAT(1024.0, 128.0f)) ? x * (real)INFINITY : y;
}

/* The same as exp_rest, with its error relative to e^r - 1. */
static inline real expm1_rest(real r, real z)
{
#ifdef FLOAT
    float even = fma(fma(0x1.6d436ap-10f, z, 0x1.5554fp-5f), z, 0x1p-1f);
    float odd = fma(fma(0x1.9e076cp-13f, z, 0x1.111308p-7f), z, 0x1.555554p-3f);
#else
    double even = fma(fma(fma(fma(fma(0x1.1f102bb7c77e5p-29, z, 0x1.27e5198469b2ep-22), z, 0x1.a01a018b44f8bp-16), z,
            0x1.6c16c16c1b322p-10), z, 0x1.555555555554cp-5), z, 0x1p-1);
    double odd = fma(fma(fma(fma(0x1.af5f172ab98f7p-26, z, 0x1.71ddf819562cbp-19), z, 0x1.a01a01b00095fp-13), z,
            0x1.111111110f659p-7), z, 0x1.5555555555559p-3);
#endif
    return fma(odd, r, even);
}

/* 2^n (e^r - 1) + (2^n - 1), halved in between, because 2^1024 is no number. `rest` is what r lost by rounding. */
real expm1(real x)
{
    real most = FORMAT(710.0, 89.0f), least = FORMAT(-40.0, -20.0f), t = x > most ? most : x;
    t = t < least ? least : t;
    real shifted = fma(t, LOG2E, ROUND), n = shifted - ROUND;
    real a = fma(n, -LN2, t), r = fma(n, -LN2_REST, a), rest = fma(n, -LN2_REST, a - r);
    real z = r * r, p = r + fma(z, expm1_rest(r, z), rest);
    real half = power_of_two(bits(shifted) - 1u);
    real y = 2 * fma(half, p, half - R(0.5));
    return copysign(n == 0 ? p : y, x);
}
