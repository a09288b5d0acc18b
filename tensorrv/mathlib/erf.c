/* erf, erfc. Up to 1/2, erf x = 2 x / sqrt pi + x^3 P(x^2). Beyond, erfc x = e^(-x^2) 6 P(t) / (x + 3) with
 * t = (x - 3) / (x + 3), which takes all that is left of the axis to an interval of length 1.5 on which P is smooth (after Shepherd
 * and Laframboise, 1981). What x^2, t, P and the quotient lack by rounding goes along. Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"
#include "exp_rest.h"

#define TAIL_0 0x1.6e9827d229d2dp-3
#define TAIL_1 -0x1.2d882f67c6cfap-3
#define TAIL_2 0x1.92ede1b27d8f7p-4
#define TAIL_3 -0x1.a7e42c5727a98p-5
#define TAIL_0_REST -0x1.90753de713593p-58
#define TAILF_0 0x1.6e9828p-3f
#define TAILF_1 -0x1.2d883p-3f
#define TAILF_2 0x1.92ede4p-4f
#define TAILF_3 -0x1.a7e3ep-5f
#define TAILF_0_REST -0x1.6eb16ap-30f

/* (erf x - 2 x / sqrt pi) / x^3 for z = x^2 */
static inline double erf_rest(double z)
{
    double w = z * z;
    double even = fma(fma(fma(fma(fma(-0x1.0d52454ea61cp-24, w, -0x1.d3a563da7aa9fp-23), w, -0x1.f4f6237b237c9p-17), w,
            -0x1.c02db5e088c83p-11), w, -0x1.b82ce31290714p-6), w, -0x1.812746b0379e7p-2);
    double odd = fma(fma(fma(fma(0x1.b7d65be23d64ap-24, w, 0x1.beff8b7c41063p-20), w, 0x1.f9a3c9af3f10dp-14), w,
            0x1.565bcd11ea005p-8), w, 0x1.ce2f21a042c7p-4);
    return fma(odd, z, even);
}

static inline float erf_restf(float z)
{
    float w = z * z;
    float even = fmaf(fmaf(-0x1.8b1a1ap-11f, w, -0x1.b8165cp-6f), w, -0x1.812746p-2f);
    float odd = fmaf(0x1.5423fep-8f, w, 0x1.ce2eb8p-4f);
    return fmaf(odd, z, even);
}

/* (P(t) - TAIL_0 - TAIL_1 t) / t^2 */
static inline double tail_rest(double t)
{
    double w = t * t;
    double even = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(0x1.4e552142e79c6p-34, w, -0x1.71e387bdbfbe8p-31), w,
            0x1.191a467f83894p-27), w, -0x1.2530a132eac54p-24), w, 0x1.eef82f573fbe9p-22), w, -0x1.86cfb07dbccbfp-19), w,
            0x1.2cc382826248fp-16), w, -0x1.7f4bd75602887p-14), w, -0x1.a7c53412ab59bp-13), w, 0x1.4663f6120f1d2p-6), w,
            TAIL_2);
    double odd = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(0x1.4a269e0ce4ce9p-33, w, -0x1.d7c73fc6d9acp-30), w,
            0x1.3df4db29e100ap-27), w, -0x1.56a0e17f4b6d5p-25), w, 0x1.66ed3c1d273dp-23), w, -0x1.a91a3d8b2a26p-21), w,
            0x1.5400b36bac023p-18), w, -0x1.82f6ad6bb1a05p-15), w, 0x1.091ed178abc8cp-11), w, -0x1.2506628f33254p-8), w,
            TAIL_3);
    return fma(odd, t, even);
}

static inline float tail_restf(float t)
{
    float w = t * t;
    float even = fmaf(fmaf(fmaf(fmaf(0x1.731b24p-16f, w, -0x1.949978p-14f), w, -0x1.a4361cp-13f), w, 0x1.46630ep-6f), w,
            TAILF_2);
    float odd = fmaf(fmaf(fmaf(fmaf(0x1.52ec16p-16f, w, -0x1.09adap-14f), w, 0x1.0d08b2p-11f), w, -0x1.25200ep-8f), w,
            TAILF_3);
    return fmaf(odd, t, even);
}

/* erfc x for 1/2 <= x is tail_fraction(x) 2^n for n = tail_shifted(x) - ROUND. */
static inline double tail_shifted(double x)
{
    return fma(x * x, -LOG2E, ROUND);
}

static inline double tail_fraction(double x)
{
    double h = x * x, n = tail_shifted(x) - ROUND;
    double a = fma(n, -LN2, -h), less = fma(n, -LN2_REST, -fma(x, x, -h));
    double r = a + less, rest = less - (r - a), z = r * r;
    double q = r + fma(z, exp_rest(r, z), rest);
    double d = x + 3.0, b = d - x, d_rest = (x - (d - b)) + (3.0 - b);
    double s = 6.0 / d, s_rest = fma(-s, d_rest, fma(-s, d, 6.0)) * (s * 0x1.5555555555555p-3);
    double t = 1.0 - s, t_rest = ((1.0 - t) - s) - s_rest;
    double g = tail_rest(t), slope = fma(fma(3.0 * TAIL_3, t, 2.0 * TAIL_2), t, TAIL_1);
    double u = fma(t, g, TAIL_1), u_rest = fma(t, g, TAIL_1 - u);
    double p = fma(t, u, TAIL_0), p_rest = fma(t, u, TAIL_0 - p) + fma(t, u_rest, fma(t_rest, slope, TAIL_0_REST));
    double m = p * s, m_rest = fma(p, s, -m) + fma(p, s_rest, p_rest * s);
    return m + fma(m, q, fma(m_rest, q, m_rest));
}

static inline float tail_shiftedf(float x)
{
    return fmaf(x * x, -LOG2EF, ROUNDF);
}

static inline float tail_fractionf(float x)
{
    float h = x * x, n = tail_shiftedf(x) - ROUNDF;
    float a = fmaf(n, -LN2F, -h), less = fmaf(n, -LN2F_REST, -fmaf(x, x, -h));
    float r = a + less, rest = less - (r - a), z = r * r;
    float q = r + fmaf(z, exp_restf(r, z), rest);
    float d = x + 3.0f, b = d - x, d_rest = (x - (d - b)) + (3.0f - b);
    float s = 6.0f / d, s_rest = fmaf(-s, d_rest, fmaf(-s, d, 6.0f)) * (s * 0x1.555556p-3f);
    float t = 1.0f - s, t_rest = ((1.0f - t) - s) - s_rest;
    float g = tail_restf(t), slope = fmaf(fmaf(3.0f * TAILF_3, t, 2.0f * TAILF_2), t, TAILF_1);
    float u = fmaf(t, g, TAILF_1), u_rest = fmaf(t, g, TAILF_1 - u);
    float p = fmaf(t, u, TAILF_0), p_rest = fmaf(t, u, TAILF_0 - p) + fmaf(t, u_rest, fmaf(t_rest, slope, TAILF_0_REST));
    float m = p * s, m_rest = fmaf(p, s, -m) + fmaf(p, s_rest, p_rest * s);
    return m + fmaf(m, q, fmaf(m_rest, q, m_rest));
}

double erf(double x)
{
    double y = fabs(x), z = x * x, t = y < 6.0 ? y : 6.0;
    t = t > 0.5 ? t : 0.5;
    double near = fma(x, TWO_PER_ROOT_PI, x * fma(z, erf_rest(z), TWO_PER_ROOT_PI_REST));
    double tail = tail_fraction(t) * power_of_two(bits(tail_shifted(t)));
    double far = x == x ? 1.0 - tail : x;
    return copysign(y < 0.5 ? near : far, x);
}

float erff(float x)
{
    float y = fabsf(x), z = x * x, t = y < 4.0f ? y : 4.0f;
    t = t > 0.5f ? t : 0.5f;
    float near = fmaf(x, TWO_PER_ROOT_PIF, x * fmaf(z, erf_restf(z), TWO_PER_ROOT_PIF_REST));
    float tail = tail_fractionf(t) * power_of_twof(bitsf(tail_shiftedf(t)));
    float far = x == x ? 1.0f - tail : x;
    return copysignf(y < 0.5f ? near : far, x);
}

double erfc(double x)
{
    double y = fabs(x), z = x * x, t = y < 27.5 ? y : 27.5;
    t = t > 0.5 ? t : 0.5;
    double rest = fma(z, erf_rest(z), TWO_PER_ROOT_PI_REST);
    double low = 1.0 - fma(x, TWO_PER_ROOT_PI, x * rest);
    double high = 0.5 - fma(x, (TWO_PER_ROOT_PI - 1.0) + rest, x - 0.5);
    double near = x < 0.25 ? low : high;
    uint64_t u = bits(tail_fraction(t)), k = (u >> 52) - 1023u;
    double tail = scaled(number(u - (k << 52)), number(bits(tail_shifted(t)) + k));
    double far = x > 0.0 ? tail : 2.0 - tail;
    return y < 0.5 ? near : x == x ? far : x;
}

float erfcf(float x)
{
    float y = fabsf(x), z = x * x, t = y < 10.3f ? y : 10.3f;
    t = t > 0.5f ? t : 0.5f;
    float rest = fmaf(z, erf_restf(z), TWO_PER_ROOT_PIF_REST);
    float low = 1.0f - fmaf(x, TWO_PER_ROOT_PIF, x * rest);
    float high = 0.5f - fmaf(x, (TWO_PER_ROOT_PIF - 1.0f) + rest, x - 0.5f);
    float near = x < 0.25f ? low : high;
    uint32_t u = bitsf(tail_fractionf(t)), k = (u >> 23) - 127u;
    float tail = scaledf(numberf(u - (k << 23)), numberf(bitsf(tail_shiftedf(t)) + k));
    float far = x > 0.0f ? tail : 2.0f - tail;
    return y < 0.5f ? near : x == x ? far : x;
}
