/* log and its relatives: x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); log(1 + f) is odd in s = f / (2 + f).
 * Polynomials by tools/minimax.py. */
#include "bits.h"

#define LN2 0x1.62e42fefa39efp-1
#define LN2_REST 0x1.abc9e3b39803fp-56
#define LN2F 0x1.62e43p-1f
#define LN2F_REST -0x1.05c610p-29f

#define ROOT_HALF 0x3fe6a09e667f3bcdu
#define ROOT_HALFF 0x3f3504f3u
#define SMALLEST_NORMAL 0x1p-1022
#define SMALLEST_NORMALF 0x1p-126f

/* The k of a normal number's bits, and the 1 + f. */
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

/* (log((1 + s) / (1 - s)) - 2 s) / s for z = s^2 */
static inline double log_rest(double z)
{
    double w = z * z;
    double even = fma(fma(fma(0x1.2f035b6a75ca6p-3, w, 0x1.74663c2fa36a5p-3), w, 0x1.24924941dbe2cp-2), w, 0x1.5555555555592p-1);
    double odd = fma(fma(0x1.39a1f710a8dbcp-3, w, 0x1.c71c5218a3589p-3), w, 0x1.999999997ff63p-2);
    return z * fma(odd, z, even);
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

double log(double x)
{
    int small = x < SMALLEST_NORMAL;
    uint64_t u = bits(small ? x * 0x1p54 : x);
    double k = exponent(u) - (small ? 54.0 : 0.0);
    double f = fraction(u) - 1.0;
    double s = f / (2.0 + f), half = 0.5 * f * f;
    double rest = fma(s, half + log_rest(s * s), k * LN2_REST);
    return domain(x, fma(k, LN2, f - (half - rest)));
}

float logf(float x)
{
    int small = x < SMALLEST_NORMALF;
    uint32_t u = bitsf(small ? x * 0x1p25f : x);
    float k = exponentf(u) - (small ? 25.0f : 0.0f);
    float f = fractionf(u) - 1.0f, z = f * f;
    float even = fmaf(fmaf(fmaf(0x1.05f13cp-3f, z, 0x1.22cc26p-3f), z, 0x1.99a038p-3f), z, 0x1.555554p-2f);
    float odd = fmaf(fmaf(fmaf(-0x1.3ab75cp-4f, z, -0x1.0d7c7ap-3f), z, -0x1.547178p-3f), z, -0x1.000228p-2f);
    float p = fmaf(odd, f, even);
    float rest = fmaf(fmaf(f, p, -0.5f), z, k * LN2F_REST);
    return domainf(x, fmaf(k, LN2F, f + rest));
}
