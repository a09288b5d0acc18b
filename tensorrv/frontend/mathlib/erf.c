/* erf, erfc. Up to 1/2, erf x = 2 x / sqrt pi + x^3 P(x^2). Beyond, erfc x = e^(-x^2) 6 P(t) / (x + 3) with
 * t = (x - 3) / (x + 3), which takes all that is left of the axis to an interval of length 1.5 on which P is smooth (after Shepherd
 * and Laframboise, 1981). What x^2, t, P and the quotient lack by rounding goes along. Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"
#include "exp_rest.h"

#define TAIL_0 FORMAT(0x1.6e9827d229d2dp-3, 0x1.6e9828p-3f)
#define TAIL_1 FORMAT(-0x1.2d882f67c6cfap-3, -0x1.2d883p-3f)
#define TAIL_2 FORMAT(0x1.92ede1b27d8f7p-4, 0x1.92ede4p-4f)
#define TAIL_3 FORMAT(-0x1.a7e42c5727a98p-5, -0x1.a7e3ep-5f)
#define TAIL_0_REST FORMAT(-0x1.90753de713593p-58, -0x1.6eb16ap-30f)

/* (erf x - 2 x / sqrt pi) / x^3 for z = x^2 */
static inline real erf_rest(real z)
{
    real w = z * z;
#ifdef FLOAT
    float even = fma(fma(-0x1.8b1a1ap-11f, w, -0x1.b8165cp-6f), w, -0x1.812746p-2f);
    float odd = fma(0x1.5423fep-8f, w, 0x1.ce2eb8p-4f);
#else
    double even = fma(fma(fma(fma(fma(-0x1.0d52454ea61cp-24, w, -0x1.d3a563da7aa9fp-23), w, -0x1.f4f6237b237c9p-17), w,
            -0x1.c02db5e088c83p-11), w, -0x1.b82ce31290714p-6), w, -0x1.812746b0379e7p-2);
    double odd = fma(fma(fma(fma(0x1.b7d65be23d64ap-24, w, 0x1.beff8b7c41063p-20), w, 0x1.f9a3c9af3f10dp-14), w,
            0x1.565bcd11ea005p-8), w, 0x1.ce2f21a042c7p-4);
#endif
    return fma(odd, z, even);
}

/* (P(t) - TAIL_0 - TAIL_1 t) / t^2 */
static inline real tail_rest(real t)
{
    real w = t * t;
#ifdef FLOAT
    float even = fma(fma(fma(fma(0x1.731b24p-16f, w, -0x1.949978p-14f), w, -0x1.a4361cp-13f), w, 0x1.46630ep-6f), w,
            TAIL_2);
    float odd = fma(fma(fma(fma(0x1.52ec16p-16f, w, -0x1.09adap-14f), w, 0x1.0d08b2p-11f), w, -0x1.25200ep-8f), w,
            TAIL_3);
#else
    double even = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(0x1.4e552142e79c6p-34, w, -0x1.71e387bdbfbe8p-31), w,
            0x1.191a467f83894p-27), w, -0x1.2530a132eac54p-24), w, 0x1.eef82f573fbe9p-22), w, -0x1.86cfb07dbccbfp-19), w,
            0x1.2cc382826248fp-16), w, -0x1.7f4bd75602887p-14), w, -0x1.a7c53412ab59bp-13), w, 0x1.4663f6120f1d2p-6), w,
            TAIL_2);
    double odd = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(0x1.4a269e0ce4ce9p-33, w, -0x1.d7c73fc6d9acp-30), w,
            0x1.3df4db29e100ap-27), w, -0x1.56a0e17f4b6d5p-25), w, 0x1.66ed3c1d273dp-23), w, -0x1.a91a3d8b2a26p-21), w,
            0x1.5400b36bac023p-18), w, -0x1.82f6ad6bb1a05p-15), w, 0x1.091ed178abc8cp-11), w, -0x1.2506628f33254p-8), w,
            TAIL_3);
#endif
    return fma(odd, t, even);
}

/* erfc x for 1/2 <= x is tail_fraction(x) 2^n for n = tail_shifted(x) - ROUND. */
static inline real tail_shifted(real x)
{
    return fma(x * x, -LOG2E, ROUND);
}

static inline real tail_fraction(real x)
{
    real h = x * x, n = tail_shifted(x) - ROUND;
    real a = fma(n, -LN2, -h), less = fma(n, -LN2_REST, -fma(x, x, -h));
    real r = a + less, rest = less - (r - a), z = r * r;
    real q = r + fma(z, exp_rest(r, z), rest);
    real d = x + 3, b = d - x, d_rest = (x - (d - b)) + (3 - b);
    real s = 6 / d, s_rest = fma(-s, d_rest, fma(-s, d, 6)) * (s * FORMAT(0x1.5555555555555p-3, 0x1.555556p-3f));
    real t = 1 - s, t_rest = ((1 - t) - s) - s_rest;
    real g = tail_rest(t), slope = fma(fma(3 * TAIL_3, t, 2 * TAIL_2), t, TAIL_1);
    real u = fma(t, g, TAIL_1), u_rest = fma(t, g, TAIL_1 - u);
    real p = fma(t, u, TAIL_0), p_rest = fma(t, u, TAIL_0 - p) + fma(t, u_rest, fma(t_rest, slope, TAIL_0_REST));
    real m = p * s, m_rest = fma(p, s, -m) + fma(p, s_rest, p_rest * s);
    return m + fma(m, q, fma(m_rest, q, m_rest));
}

real erf(real x)
{
    real y = fabs(x), z = x * x, t = y < FORMAT(6, 4) ? y : FORMAT(6, 4);
    t = t > R(0.5) ? t : R(0.5);
    real near = fma(x, TWO_PER_ROOT_PI, x * fma(z, erf_rest(z), TWO_PER_ROOT_PI_REST));
    real tail = tail_fraction(t) * power_of_two(bits(tail_shifted(t)));
    real far = x == x ? 1 - tail : x;
    return copysign(y < R(0.5) ? near : far, x);
}

real erfc(real x)
{
    real y = fabs(x), z = x * x, t = y < FORMAT(27.5, 10.3f) ? y : FORMAT(27.5, 10.3f);
    t = t > R(0.5) ? t : R(0.5);
    real rest = fma(z, erf_rest(z), TWO_PER_ROOT_PI_REST);
    real low = 1 - fma(x, TWO_PER_ROOT_PI, x * rest);
    real high = R(0.5) - fma(x, (TWO_PER_ROOT_PI - 1) + rest, x - R(0.5));
    real near = x < R(0.25) ? low : high;
    word u = bits(tail_fraction(t)), k = (u >> PLACES) - BIAS;
    real tail = scaled(number(u - (k << PLACES)), number(bits(tail_shifted(t)) + k));
    real far = x > 0 ? tail : 2 - tail;
    return y < R(0.5) ? near : x == x ? far : x;
}
