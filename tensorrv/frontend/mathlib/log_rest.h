/* Logarithms of numbers near 1 and of sums. Polynomials by tools/polynomials.py. */
#ifndef LOG_REST_H
#define LOG_REST_H
#include "binary.h"
#include "bits.h"
#include "constants.h"

/* (log(1 + f) - f + f^2 / 2) / f^3 for z = f^2 */
static inline real log_rest(real f, real z)
{
#ifdef FLOAT
    float even = fma(fma(fma(0x1.025beap-3f, z, 0x1.236438p-3f), z, 0x1.99986p-3f), z, 0x1.555564p-2f);
    float odd = fma(fma(fma(-0x1.2d3636p-4f, z, -0x1.0e6826p-3f), z, -0x1.54679p-3f), z, -0x1.00023cp-2f);
#else
    double w = z * z;
    double even0 = fma(fma(fma(fma(0x1.bcee3ad28b594p-5, w, 0x1.116c40df92bbfp-4), w, 0x1.745d5a357fdp-4), w,
            0x1.249249277ee5cp-3), w, 0x1.555555555556fp-2);
    double even2 = fma(fma(fma(fma(0x1.cf57d3b74cc84p-5, w, 0x1.dc64f46e38294p-5), w, 0x1.3b0d57a39416ep-4), w,
            0x1.c71c70228f753p-4), w, 0x1.99999999946f2p-3);
    double odd0 = fma(fma(fma(fma(-0x1.010304385109dp-4, w, -0x1.00c7ce122402ep-4), w, -0x1.55556aa73ef09p-4), w,
            -0x1.fffffff19379fp-4), w, -0x1.ffffffffffe54p-3);
    double odd2 = fma(fma(fma(fma(-0x1.8804c5c4713f2p-6, w, -0x1.b4a53621f7de2p-5), w, -0x1.248a1b1898744p-4), w,
            -0x1.99999b0aa7984p-4), w, -0x1.555555556dc05p-3);
    double even = fma(even2, z, even0), odd = fma(odd2, z, odd0);
#endif
    return fma(odd, f, even);
}

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
    real z = f * f;
    return fma(k, LN2_BELOW, f + fma(fma(f, log_rest(f, z), R(-0.5)), z, lost));
}

/* log(u + lost) + more log 2 for a positive number u, of which `lost` is less than the last place. */
static inline real log_of_sum(real u, real lost, real more)
{
    struct binary b = binary(u);
    real k = b.k + more;
    return domain(u, log_of_parts(k, b.f, fma(k, LN2_BELOW_REST, lost / u)));
}

#endif
