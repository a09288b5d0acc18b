/* sinh, cosh, tanh: |x| = n ln 2 + r, sinh and cosh of |r| <= ln(2)/2, and the sums and differences of 2^n and 2^-n. The greatest
 * part of a result is computed with what it loses. Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"

#define ENOUGH FORMAT(711, 90) /* sinh and cosh are infinite from here on */
#define HALF_RANGE FORMAT(512, 64)

struct hyperbolic {
    real n, r, rest, sinh_rest, cosh_rest;
    word k;
};

/* n as an integer too, r and what it lost, sinh r - r, cosh r - 1; for x >= 0 */
static inline struct hyperbolic reduced(real x)
{
    real shifted = fma(x, LOG2E, ROUND), n = shifted - ROUND;
    real a = fma(n, -LN2, x), r = fma(n, -LN2_REST, a), rest = fma(n, -LN2_REST, a - r);
    real z = r * r, w = z * z;
    struct hyperbolic h = {n, r, rest, 0, 0, bits(shifted)};
    {
#ifdef FLOAT
    float even = fma(0x1.a293d2p-13f, w, 0x1.555556p-3f);
    float odd = 0x1.110fep-7f;
#else
    double even = fma(fma(0x1.ae5655a4588b8p-26, w, 0x1.a01a019f1052cp-13), w, 0x1.5555555555555p-3);
    double odd = fma(fma(0x1.74339c79fab6fp-33, w, 0x1.71de3e474e26dp-19), w, 0x1.111111111130ep-7);
#endif
    h.sinh_rest = r * z * fma(odd, z, even);
    }
    {
#ifdef FLOAT
    float even = fma(0x1.6c14dp-10f, w, 0x1p-1f);
    float odd = fma(0x1.a3480ep-16f, w, 0x1.555556p-5f);
#else
    double even = fma(fma(0x1.27e4cc2648232p-22, w, 0x1.6c16c16c1500ap-10), w, 0x1p-1);
    double odd = fma(fma(0x1.1f8bb5e5ff35ap-29, w, 0x1.a01a01ad776cfp-16), w, 0x1.5555555555558p-5);
#endif
    h.cosh_rest = z * fma(odd, z, even);
    }
    return h;
}

/* 2^(n-1) and 2^(-n-1), or from n = 512 (64) on 2^(n-513) and 0, to be multiplied by 2^512; their difference and sum, rounded */
struct powers {
    real up, down, less, more, factor;
};

static inline struct powers powers(struct hyperbolic h)
{
    int large = h.n >= HALF_RANGE;
    real up = power_of_two(h.k - (large ? HALF_RANGE + 1u : 1u));
    real down = large ? 0 : power_of_two(0u - h.k - 1u);
    return (struct powers){up, down, up - down, up + down, large ? FORMAT(0x1p512, 0x1p64f) : 1};
}

/* (up - down) cosh r + (up + down) sinh r */
real sinh(real x)
{
    real y = fabs(x);
    struct hyperbolic h = reduced(y > ENOUGH ? ENOUGH : y);
    struct powers p = powers(h);
    real sum = fma(p.more, h.r, p.less), lost = fma(p.more, h.r, p.less - sum);
    real tail = fma(p.less, h.cosh_rest, fma(p.more, h.sinh_rest + h.rest, lost + ((p.up - p.less) - p.down)));
    return copysign((sum + tail) * p.factor, x);
}

/* (up + down) cosh r + (up - down) sinh r */
real cosh(real x)
{
    real y = fabs(x);
    struct hyperbolic h = reduced(y > ENOUGH ? ENOUGH : y);
    struct powers p = powers(h);
    real sum = fma(p.less, h.r, p.more), lost = fma(p.less, h.r, p.more - sum);
    real tail = fma(p.more, h.cosh_rest, fma(p.less, h.sinh_rest + h.rest, lost + ((p.up - p.more) + p.down)));
    return (sum + tail) * p.factor;
}

/* sinh x / cosh x, each as a sum; the quotient is corrected once. From 20 (10) on it is 1. */
real tanh(real x)
{
    real y = fabs(x);
    struct hyperbolic h = reduced(y > FORMAT(20, 10) ? FORMAT(20, 10) : y);
    real up = power_of_two(h.k), down = power_of_two(0u - h.k);
    real less = up - down, more = up + down;
    real less1 = (up - less) - down, more1 = (up - more) + down; /* what the sums lost */
    real a = fma(more, h.r, less), a1 = fma(more, h.r, less - a) + less1;
    real b = fma(less, h.r, more), b1 = fma(less, h.r, more - b) + more1;
    a1 = fma(less, h.cosh_rest, fma(more, h.sinh_rest + h.rest, a1));
    b1 = fma(more, h.cosh_rest, fma(less, h.sinh_rest + h.rest, b1));
    real top = a + a1, bottom = b + b1;
    real per = 1 / bottom, q = top * per;
    real lack = fma(-q, bottom, top) + (((a - top) + a1) - q * ((b - bottom) + b1));
    return copysign(fma(lack, per, q), x);
}
