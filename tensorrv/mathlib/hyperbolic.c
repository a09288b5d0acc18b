/* sinh, cosh, tanh: |x| = n ln 2 + r, sinh and cosh of |r| <= ln(2)/2, and the sums and differences of 2^n and 2^-n. The greatest
 * part of a result is computed with what it loses. Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"

struct hyperbolic {
    double n, r, rest, sinh_rest, cosh_rest;
    uint64_t k;
};

struct hyperbolicf {
    float n, r, rest, sinh_rest, cosh_rest;
    uint32_t k;
};

/* n as an integer too, r and what it lost, sinh r - r, cosh r - 1; for x >= 0 */
static inline struct hyperbolic reduced(double x)
{
    double shifted = fma(x, LOG2E, ROUND), n = shifted - ROUND;
    double a = fma(n, -LN2, x), r = fma(n, -LN2_REST, a), rest = fma(n, -LN2_REST, a - r);
    double z = r * r, w = z * z;
    struct hyperbolic h = {n, r, rest, 0.0, 0.0, bits(shifted)};
    {
    double even = fma(fma(0x1.ae5655a4588b8p-26, w, 0x1.a01a019f1052cp-13), w, 0x1.5555555555555p-3);
    double odd = fma(fma(0x1.74339c79fab6fp-33, w, 0x1.71de3e474e26dp-19), w, 0x1.111111111130ep-7);
    h.sinh_rest = r * z * fma(odd, z, even);
    }
    {
    double even = fma(fma(0x1.27e4cc2648232p-22, w, 0x1.6c16c16c1500ap-10), w, 0x1p-1);
    double odd = fma(fma(0x1.1f8bb5e5ff35ap-29, w, 0x1.a01a01ad776cfp-16), w, 0x1.5555555555558p-5);
    h.cosh_rest = z * fma(odd, z, even);
    }
    return h;
}

static inline struct hyperbolicf reducedf(float x)
{
    float shifted = fmaf(x, LOG2EF, ROUNDF), n = shifted - ROUNDF;
    float a = fmaf(n, -LN2F, x), r = fmaf(n, -LN2F_REST, a), rest = fmaf(n, -LN2F_REST, a - r);
    float z = r * r, w = z * z;
    struct hyperbolicf h = {n, r, rest, 0.0f, 0.0f, bitsf(shifted)};
    {
    float even = fmaf(0x1.a293d2p-13f, w, 0x1.555556p-3f);
    float odd = 0x1.110fep-7f;
    h.sinh_rest = r * z * fmaf(odd, z, even);
    }
    {
    float even = fmaf(0x1.6c14dp-10f, w, 0x1p-1f);
    float odd = fmaf(0x1.a3480ep-16f, w, 0x1.555556p-5f);
    h.cosh_rest = z * fmaf(odd, z, even);
    }
    return h;
}

/* 2^(n-1) and 2^(-n-1): sinh x = (up - down) cosh r + (up + down) sinh r. From n = 512 on 2^(n-513) and 0, times 2^512. */
double sinh(double x)
{
    double y = fabs(x);
    struct hyperbolic h = reduced(y > 711.0 ? 711.0 : y);
    int large = h.n >= 512.0;
    double up = power_of_two(h.k - (large ? 513u : 1u));
    double down = large ? 0.0 : power_of_two(0u - h.k - 1u);
    double less = up - down, more = up + down;
    double sum = fma(more, h.r, less), lost = fma(more, h.r, less - sum);
    double tail = fma(less, h.cosh_rest, fma(more, h.sinh_rest + h.rest, lost + ((up - less) - down)));
    return copysign((sum + tail) * (large ? 0x1p512 : 1.0), x);
}

float sinhf(float x)
{
    float y = fabsf(x);
    struct hyperbolicf h = reducedf(y > 90.0f ? 90.0f : y);
    int large = h.n >= 64.0f;
    float up = power_of_twof(h.k - (large ? 65u : 1u));
    float down = large ? 0.0f : power_of_twof(0u - h.k - 1u);
    float less = up - down, more = up + down;
    float sum = fmaf(more, h.r, less), lost = fmaf(more, h.r, less - sum);
    float tail = fmaf(less, h.cosh_rest, fmaf(more, h.sinh_rest + h.rest, lost + ((up - less) - down)));
    return copysignf((sum + tail) * (large ? 0x1p64f : 1.0f), x);
}

double cosh(double x)
{
    double y = fabs(x);
    struct hyperbolic h = reduced(y > 711.0 ? 711.0 : y);
    int large = h.n >= 512.0;
    double up = power_of_two(h.k - (large ? 513u : 1u));
    double down = large ? 0.0 : power_of_two(0u - h.k - 1u);
    double less = up - down, more = up + down;
    double sum = fma(less, h.r, more), lost = fma(less, h.r, more - sum);
    double tail = fma(more, h.cosh_rest, fma(less, h.sinh_rest + h.rest, lost + ((up - more) + down)));
    return (sum + tail) * (large ? 0x1p512 : 1.0);
}

float coshf(float x)
{
    float y = fabsf(x);
    struct hyperbolicf h = reducedf(y > 90.0f ? 90.0f : y);
    int large = h.n >= 64.0f;
    float up = power_of_twof(h.k - (large ? 65u : 1u));
    float down = large ? 0.0f : power_of_twof(0u - h.k - 1u);
    float less = up - down, more = up + down;
    float sum = fmaf(less, h.r, more), lost = fmaf(less, h.r, more - sum);
    float tail = fmaf(more, h.cosh_rest, fmaf(less, h.sinh_rest + h.rest, lost + ((up - more) + down)));
    return (sum + tail) * (large ? 0x1p64f : 1.0f);
}

/* sinh x / cosh x, each as a sum; the quotient is corrected once. From 20 (10) on it is 1. */
double tanh(double x)
{
    double y = fabs(x);
    struct hyperbolic h = reduced(y > 20.0 ? 20.0 : y);
    double up = power_of_two(h.k), down = power_of_two(0u - h.k);
    double less = up - down, more = up + down;
    double less1 = (up - less) - down, more1 = (up - more) + down; /* what the sums lost */
    double a = fma(more, h.r, less), a1 = fma(more, h.r, less - a) + less1;
    double b = fma(less, h.r, more), b1 = fma(less, h.r, more - b) + more1;
    a1 = fma(less, h.cosh_rest, fma(more, h.sinh_rest + h.rest, a1));
    b1 = fma(more, h.cosh_rest, fma(less, h.sinh_rest + h.rest, b1));
    double top = a + a1, bottom = b + b1;
    double per = 1.0 / bottom, q = top * per;
    double lack = fma(-q, bottom, top) + (((a - top) + a1) - q * ((b - bottom) + b1));
    return copysign(fma(lack, per, q), x);
}

float tanhf(float x)
{
    float y = fabsf(x);
    struct hyperbolicf h = reducedf(y > 10.0f ? 10.0f : y);
    float up = power_of_twof(h.k), down = power_of_twof(0u - h.k);
    float less = up - down, more = up + down;
    float less1 = (up - less) - down, more1 = (up - more) + down; /* what the sums lost */
    float a = fmaf(more, h.r, less), a1 = fmaf(more, h.r, less - a) + less1;
    float b = fmaf(less, h.r, more), b1 = fmaf(less, h.r, more - b) + more1;
    a1 = fmaf(less, h.cosh_rest, fmaf(more, h.sinh_rest + h.rest, a1));
    b1 = fmaf(more, h.cosh_rest, fmaf(less, h.sinh_rest + h.rest, b1));
    float top = a + a1, bottom = b + b1;
    float per = 1.0f / bottom, q = top * per;
    float lack = fmaf(-q, bottom, top) + (((a - top) + a1) - q * ((b - bottom) + b1));
    return copysignf(fmaf(lack, per, q), x);
}
