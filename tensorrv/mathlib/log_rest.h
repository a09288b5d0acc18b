/* Logarithms of numbers near 1 and of sums. Polynomials by tools/polynomials.py. */
#ifndef LOG_REST_H
#define LOG_REST_H
#include "binary.h"
#include "bits.h"
#include "constants.h"

#ifdef FLOAT

/* (log(1 + f) - f + f^2 / 2) / f^3 for z = f^2 */
static inline float log_rest(float f, float z)
{
    float even = fma(fma(fma(0x1.025beap-3f, z, 0x1.236438p-3f), z, 0x1.99986p-3f), z, 0x1.555564p-2f);
    float odd = fma(fma(fma(-0x1.2d3636p-4f, z, -0x1.0e6826p-3f), z, -0x1.54679p-3f), z, -0x1.00023cp-2f);
    return fma(odd, f, even);
}

#else

/* (log((1 + s) / (1 - s)) - 2 s) / s for z = s^2 */
static inline double log_rest(double z)
{
    double w = z * z;
    double even = fma(fma(fma(0x1.2f0b997578d8fp-3, w, 0x1.746646c743dacp-3), w, 0x1.2492494235103p-2), w,
            0x1.5555555555594p-1);
    double odd = fma(fma(0x1.39a10989b1d75p-3, w, 0x1.c71c51dc319d9p-3), w, 0x1.999999997f786p-2);
    return z * fma(odd, z, even);
}

#endif

/* y, the logarithm of x, where x is a positive number; what IEEE demands for other x. */
static inline real domain(real x, real y)
{
    real outside = x == 0 ? -(real)INFINITY : (real)NAN;
    real above = x < INFINITY ? y : x;
    return x > 0 ? above : outside;
}

/* k log 2 + log(1 + f) + lost, where `lost` has the sign of an infinite k and is else less than the last place. */
static inline real log_of_parts(real k, real f, real lost)
{
#ifdef FLOAT
    float z = f * f;
    return fma(k, LN2_BELOW, f + fma(fma(f, log_rest(f, z), -0.5f), z, lost));
#else
    double s = f / (2.0 + f), half = 0.5 * f * f;
    return fma(k, LN2_BELOW, f - (half - fma(s, half + log_rest(s * s), lost)));
#endif
}

/* log(u + lost) + more log 2 for a positive number u, of which `lost` is less than the last place. */
static inline real log_of_sum(real u, real lost, real more)
{
    struct binary b = binary(u);
    real k = b.k + more;
    return domain(u, log_of_parts(k, b.f, fma(k, LN2_BELOW_REST, lost / u)));
}

#endif
