/* exp, exp2, expm1: x = n ln 2 + r, a polynomial in |r| <= ln(2)/2, and 2^n in the exponent's bits. Polynomials by
 * tools/polynomials.py. */
#include "bits.h"
#include "constants.h"
#include "exp_rest.h"

/* The same as exp_rest, with its error relative to e^r - 1. */
static inline double expm1_rest(double r, double z)
{
    double even = fma(fma(fma(fma(fma(0x1.1f102bb7c77e5p-29, z, 0x1.27e5198469b2ep-22), z, 0x1.a01a018b44f8bp-16), z,
            0x1.6c16c16c1b322p-10), z, 0x1.555555555554cp-5), z, 0x1p-1);
    double odd = fma(fma(fma(fma(0x1.af5f172ab98f7p-26, z, 0x1.71ddf819562cbp-19), z, 0x1.a01a01b00095fp-13), z,
            0x1.111111110f659p-7), z, 0x1.5555555555559p-3);
    return fma(odd, r, even);
}

static inline float expm1_restf(float r, float z)
{
    float even = fmaf(fmaf(0x1.6d436ap-10f, z, 0x1.5554fp-5f), z, 0x1p-1f);
    float odd = fmaf(fmaf(0x1.9e076cp-13f, z, 0x1.111308p-7f), z, 0x1.555554p-3f);
    return fmaf(odd, r, even);
}

double exp(double x)
{
    double t = x < -746.0 ? -746.0 : x;
    double shifted = fma(t, LOG2E, ROUND), n = shifted - ROUND;
    double r = fma(n, -LN2_REST, fma(n, -LN2, t));
    double z = r * r, y = scaled(1.0 + fma(z, exp_rest(r, z), r), shifted);
    return x <= 0x1.62e42fefa39efp+9 ? y : x * (double)INFINITY; /* beyond the logarithm of 2^1024, and NaNs */
}

float expf(float x)
{
    float t = x < -104.0f ? -104.0f : x;
    float shifted = fmaf(t, LOG2EF, ROUNDF), n = shifted - ROUNDF;
    float r = fmaf(n, -LN2F_REST, fmaf(n, -LN2F, t));
    float z = r * r, y = scaledf(1.0f + fmaf(z, exp_restf(r, z), r), shifted);
    return x <= 0x1.62e42ep+6f ? y : x * INFINITY;
}

/* (2^r - 1) / r for z = r^2 */
static inline double exp2_rest(double r, double z)
{
    double even = fma(fma(fma(fma(fma(0x1.eb0754d5d1ac4p-32, z, 0x1.b5241c91658f4p-24), z, 0x1.ffcbfcde55481p-17), z,
            0x1.5d87fe788836bp-10), z, 0x1.c6b08d704a185p-5), z, 0x1.62e42fefa39efp-1);
    double odd = fma(fma(fma(fma(fma(0x1.d487100e0d40fp-36, z, 0x1.e4c3801506237p-28), z, 0x1.62c025606fa91p-20), z,
            0x1.430912f7a9f3ep-13), z, 0x1.3b2ab6fba50fep-7), z, 0x1.ebfbdff82c58ep-3);
    return fma(odd, r, even);
}

static inline float exp2_restf(float r, float z)
{
    float even = fmaf(fmaf(0x1.5f0b8cp-10f, z, 0x1.c6af76p-5f), z, 0x1.62e43p-1f);
    float odd = fmaf(fmaf(0x1.3f9bcp-13f, z, 0x1.3b30a6p-7f), z, 0x1.ebfbd8p-3f);
    return fmaf(odd, r, even);
}

double exp2(double x)
{
    double t = x < -1076.0 ? -1076.0 : x;
    double shifted = t + ROUND, n = shifted - ROUND, r = t - n;
    double y = scaled(fma(r, exp2_rest(r, r * r), 1.0), shifted);
    return x < 1024.0 ? y : x * (double)INFINITY;
}

float exp2f(float x)
{
    float t = x < -151.0f ? -151.0f : x;
    float shifted = t + ROUNDF, n = shifted - ROUNDF, r = t - n;
    float y = scaledf(fmaf(r, exp2_restf(r, r * r), 1.0f), shifted);
    return x < 128.0f ? y : x * INFINITY;
}

/* 2^n (e^r - 1) + (2^n - 1), halved in between, because 2^1024 is no number. `rest` is what r lost by rounding. */
double expm1(double x)
{
    double t = x > 710.0 ? 710.0 : x;
    t = t < -40.0 ? -40.0 : t;
    double shifted = fma(t, LOG2E, ROUND), n = shifted - ROUND;
    double a = fma(n, -LN2, t), r = fma(n, -LN2_REST, a), rest = fma(n, -LN2_REST, a - r);
    double z = r * r, p = r + fma(z, expm1_rest(r, z), rest);
    double half = power_of_two(bits(shifted) - 1u);
    double y = 2.0 * fma(half, p, half - 0.5);
    return copysign(n == 0.0 ? p : y, x);
}

float expm1f(float x)
{
    float t = x > 89.0f ? 89.0f : x;
    t = t < -20.0f ? -20.0f : t;
    float shifted = fmaf(t, LOG2EF, ROUNDF), n = shifted - ROUNDF;
    float a = fmaf(n, -LN2F, t), r = fmaf(n, -LN2F_REST, a), rest = fmaf(n, -LN2F_REST, a - r);
    float z = r * r, p = r + fmaf(z, expm1_restf(r, z), rest);
    float half = power_of_twof(bitsf(shifted) - 1u);
    float y = 2.0f * fmaf(half, p, half - 0.5f);
    return copysignf(n == 0.0f ? p : y, x);
}
