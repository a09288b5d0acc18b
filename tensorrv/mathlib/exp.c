/* exp, exp2, expm1: x = n ln 2 + r, a polynomial in |r| <= ln(2)/2, and 2^n in two factors, so that subnormal results are rounded
 * once and overflow happens by itself. NaNs go through all operations. Polynomials by tools/minimax.py. */
#include "bits.h"

#define LOG2E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1
#define LN2_REST 0x1.abc9e3b39803fp-56

#define LOG2EF 0x1.715476p+0f
#define LN2F 0x1.62e43p-1f
#define LN2F_REST -0x1.05c610p-29f

/* (e^r - 1 - r) / r^2 */
static inline double exp_rest(double r, double z)
{
    double even = fma(fma(fma(fma(0x1.28aecd2109a02p-22, z, 0x1.a0199897d3e87p-16), z, 0x1.6c16c184b2c64p-10), z,
                          0x1.555555555060cp-5), z, 0x1.000000000000ap-1);
    double odd = fma(fma(fma(fma(0x1.add4f59ef41bdp-26, z, 0x1.71def4ae387acp-19), z, 0x1.a01a013d3288bp-13), z,
                         0x1.1111111124d58p-7), z, 0x1.5555555555503p-3);
    return fma(odd, r, even);
}

static inline float exp_restf(float r, float z)
{
    float even = fmaf(fmaf(0x1.6acd78p-10f, z, 0x1.555856p-5f), z, 0x1.fffffcp-2f);
    float odd = fmaf(0x1.123e0ep-7f, z, 0x1.55548cp-3f);
    return fmaf(odd, r, even);
}

double exp(double x)
{
    x = x > 710.0 ? 710.0 : x;
    x = x < -746.0 ? -746.0 : x;
    double shifted = fma(x, LOG2E, ROUND), n = shifted - ROUND;
    double r = fma(n, -LN2_REST, fma(n, -LN2, x));
    double z = r * r;
    return scaled(1.0 + fma(z, exp_rest(r, z), r), n, shifted);
}

float expf(float x)
{
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float shifted = fmaf(x, LOG2EF, ROUNDF), n = shifted - ROUNDF;
    float r = fmaf(n, -LN2F_REST, fmaf(n, -LN2F, x));
    float z = r * r;
    return scaledf(1.0f + fmaf(z, exp_restf(r, z), r), n, shifted);
}

double exp2(double x)
{
    x = x > 1025.0 ? 1025.0 : x;
    x = x < -1076.0 ? -1076.0 : x;
    double shifted = x + ROUND, n = shifted - ROUND;
    double r = x - n, z = r * r;
    double even = fma(fma(fma(fma(fma(0x1.ebd96120cd245p-32, z, 0x1.b5238df2ecca5p-24), z, 0x1.ffcbfd23b3f5ap-17), z,
                              0x1.5d87fe787a385p-10), z, 0x1.c6b08d704a1c2p-5), z, 0x1.62e42fefa39efp-1);
    double odd = fma(fma(fma(fma(fma(0x1.f89a386399a62p-36, z, 0x1.e4ace8cfa5a92p-28), z, 0x1.62c02a426e1d5p-20), z,
                             0x1.430912f6d36c1p-13), z, 0x1.3b2ab6fba5274p-7), z, 0x1.ebfbdff82c58ep-3);
    return scaled(fma(fma(odd, r, even), r, 1.0), n, shifted);
}

float exp2f(float x)
{
    x = x > 129.0f ? 129.0f : x;
    x = x < -151.0f ? -151.0f : x;
    float shifted = x + ROUNDF, n = shifted - ROUNDF;
    float r = x - n, z = r * r;
    float even = fmaf(fmaf(0x1.5fbcfap-10f, z, 0x1.c6ada8p-5f), z, 0x1.62e432p-1f);
    float odd = fmaf(fmaf(0x1.4bdb84p-13f, z, 0x1.3b21ccp-7f), z, 0x1.ebfbe6p-3f);
    return scaledf(fmaf(fmaf(odd, r, even), r, 1.0f), n, shifted);
}
