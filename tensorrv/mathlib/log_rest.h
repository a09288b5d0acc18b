/* Logarithms of numbers near 1 and of sums. Polynomials by tools/polynomials.py. */
#ifndef LOG_REST_H
#define LOG_REST_H
#include "binary.h"
#include "bits.h"
#include "constants.h"

/* (log((1 + s) / (1 - s)) - 2 s) / s for z = s^2 */
static inline double log_rest(double z)
{
    double w = z * z;
    double even = fma(fma(fma(0x1.2f0b997578d8fp-3, w, 0x1.746646c743dacp-3), w, 0x1.2492494235103p-2), w,
            0x1.5555555555594p-1);
    double odd = fma(fma(0x1.39a10989b1d75p-3, w, 0x1.c71c51dc319d9p-3), w, 0x1.999999997f786p-2);
    return z * fma(odd, z, even);
}

/* (log(1 + f) - f + f^2 / 2) / f^2 for z = f^2 */
static inline float log_restf(float f, float z)
{
    float even = fmaf(fmaf(fmaf(0x1.025beap-3f, z, 0x1.236438p-3f), z, 0x1.99986p-3f), z, 0x1.555564p-2f);
    float odd = fmaf(fmaf(fmaf(-0x1.2d3636p-4f, z, -0x1.0e6826p-3f), z, -0x1.54679p-3f), z, -0x1.00023cp-2f);
    return f * fmaf(odd, f, even);
}

/* y, the logarithm of x, where x is a positive number; what IEEE demands for other x. */
static inline double domain(double x, double y)
{
    double outside = x == 0.0 ? -(double)INFINITY : (double)NAN;
    double above = x < INFINITY ? y : x;
    return x > 0.0 ? above : outside;
}

static inline float domainf(float x, float y)
{
    float outside = x == 0.0f ? -INFINITY : NAN;
    float above = x < INFINITY ? y : x;
    return x > 0.0f ? above : outside;
}

/* log(u + lost) + more log 2 for a positive number u, of which `lost` is less than the last place. */
static inline double log_of_sum(double u, double lost, double more)
{
    double k = exponent(bits(u)) + more;
    double f = fraction(bits(u)) - 1.0;
    double s = f / (2.0 + f), half = 0.5 * f * f;
    double rest = fma(s, half + log_rest(s * s), fma(k, LN2_REST, lost / u));
    return domain(u, fma(k, LN2, f - (half - rest)));
}

static inline float log_of_sumf(float u, float lost, float more)
{
    float k = exponentf(bitsf(u)) + more;
    float f = fractionf(bitsf(u)) - 1.0f, z = f * f;
    float rest = fmaf(log_restf(f, z) - 0.5f, z, fmaf(k, LN2F_REST, lost / u));
    return domainf(u, fmaf(k, LN2F, f + rest));
}

#endif
