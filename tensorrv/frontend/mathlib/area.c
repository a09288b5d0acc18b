/* asinh x = log(1 + w) with w = x + (sqrt(1 + x^2) - 1), acosh x with w = x - 1 + sqrt(x^2 - 1), atanh x = log(1 + w) / 2 with
 * w = 2 x / (1 - x); what w lacks by rounding goes along. Large x: log(2 x). */
#include "bits.h"
#include "log_rest.h"

#define LARGE_FROM FORMAT(0x1p28, 0x1p14f)

/* log(1 + w + w_rest) for w >= 0 */
static inline real log_of_1_plus(real w, real w_rest)
{
    real u = 1 + w, b = u - w, lost = ((w - (u - b)) + (1 - b)) + w_rest;
    return log_of_sum(u, lost, 0);
}

real asinh(real x)
{
    real y = fabs(x);
    int large = y > LARGE_FROM;
    real a = large ? 1 : y;
    real h = a * a, g = 1 + h, b = g - h, g_rest = ((h - (g - b)) + (1 - b)) + fma(a, a, -h);
    real q = sqrt(g), q_rest = (fma(-q, q, g) + g_rest) * (R(0.5) / q), e = q - 1;
    real w = a + e, c = w - a, rest = ((a - (w - c)) + (e - c)) + q_rest;
    real near = log_of_1_plus(w, rest);
    return copysign(large ? log_of_sum(y, 0, 1) : near, x);
}

real acosh(real x)
{
    int large = x > LARGE_FROM;
    real a = large ? 2 : x;
    real t = a - 1, t_rest = (a - t) - 1;
    real h = a * a, b = h - 1, b_rest = ((h - b) - 1) + fma(a, a, -h), g = b + b_rest;
    real q = sqrt(g), q_rest = q > 0 ? (fma(-q, q, g) + (b_rest - (g - b))) * (R(0.5) / q) : 0;
    real w = q + t, rest = ((t - (w - q)) + t_rest) + q_rest;
    real near = log_of_1_plus(w, rest);
    real y = large ? log_of_sum(x, 0, 1) : near;
    return x >= 1 ? y : (real)NAN;
}

real atanh(real x)
{
    real y = fabs(x), a = y < 1 ? y : R(0.5);
    real d = 1 - a, d_rest = (1 - d) - a;
    real w = 2 * a / d, rest = fma(-w, d_rest, fma(-w, d, 2 * a)) / d;
    real near = R(0.5) * log_of_1_plus(w, rest);
    real outside = y == 1 ? (real)INFINITY : (real)NAN;
    return copysign(y < 1 ? near : outside, x);
}
