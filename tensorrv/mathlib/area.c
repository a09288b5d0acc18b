/* asinh x = log(1 + w) with w = x + (sqrt(1 + x^2) - 1), acosh x with w = x - 1 + sqrt(x^2 - 1), atanh x = log(1 + w) / 2 with
 * w = 2 x / (1 - x); what w lacks by rounding goes along. Large x: log(2 x). */
#include "bits.h"
#include "log_rest.h"

/* log(1 + w + w_rest) for w >= 0 */
static inline double log_of_1_plus(double w, double w_rest)
{
    double u = 1.0 + w, b = u - w, lost = ((w - (u - b)) + (1.0 - b)) + w_rest;
    return log_of_sum(u, lost, 0.0);
}

static inline float log_of_1_plusf(float w, float w_rest)
{
    float u = 1.0f + w, b = u - w, lost = ((w - (u - b)) + (1.0f - b)) + w_rest;
    return log_of_sumf(u, lost, 0.0f);
}

double asinh(double x)
{
    double y = fabs(x);
    int large = y > 0x1p28;
    double a = large ? 1.0 : y;
    double h = a * a, g = 1.0 + h, b = g - h, g_rest = ((h - (g - b)) + (1.0 - b)) + fma(a, a, -h);
    double q = sqrt(g), q_rest = (fma(-q, q, g) + g_rest) * (0.5 / q), e = q - 1.0;
    double w = a + e, c = w - a, rest = ((a - (w - c)) + (e - c)) + q_rest;
    double near = log_of_1_plus(w, rest);
    return copysign(large ? log_of_sum(y, 0.0, 1.0) : near, x);
}

float asinhf(float x)
{
    float y = fabsf(x);
    int large = y > 0x1p14f;
    float a = large ? 1.0f : y;
    float h = a * a, g = 1.0f + h, b = g - h, g_rest = ((h - (g - b)) + (1.0f - b)) + fmaf(a, a, -h);
    float q = sqrtf(g), q_rest = (fmaf(-q, q, g) + g_rest) * (0.5f / q), e = q - 1.0f;
    float w = a + e, c = w - a, rest = ((a - (w - c)) + (e - c)) + q_rest;
    float near = log_of_1_plusf(w, rest);
    return copysignf(large ? log_of_sumf(y, 0.0f, 1.0f) : near, x);
}

double acosh(double x)
{
    int large = x > 0x1p28;
    double a = large ? 2.0 : x;
    double t = a - 1.0, t_rest = (a - t) - 1.0;
    double h = a * a, b = h - 1.0, b_rest = ((h - b) - 1.0) + fma(a, a, -h), g = b + b_rest;
    double q = sqrt(g), q_rest = q > 0.0 ? (fma(-q, q, g) + (b_rest - (g - b))) * (0.5 / q) : 0.0;
    double w = q + t, rest = ((t - (w - q)) + t_rest) + q_rest;
    double near = log_of_1_plus(w, rest);
    double y = large ? log_of_sum(x, 0.0, 1.0) : near;
    return x >= 1.0 ? y : (double)NAN;
}

float acoshf(float x)
{
    int large = x > 0x1p14f;
    float a = large ? 2.0f : x;
    float t = a - 1.0f, t_rest = (a - t) - 1.0f;
    float h = a * a, b = h - 1.0f, b_rest = ((h - b) - 1.0f) + fmaf(a, a, -h), g = b + b_rest;
    float q = sqrtf(g), q_rest = q > 0.0f ? (fmaf(-q, q, g) + (b_rest - (g - b))) * (0.5f / q) : 0.0f;
    float w = q + t, rest = ((t - (w - q)) + t_rest) + q_rest;
    float near = log_of_1_plusf(w, rest);
    float y = large ? log_of_sumf(x, 0.0f, 1.0f) : near;
    return x >= 1.0f ? y : NAN;
}

double atanh(double x)
{
    double y = fabs(x), a = y < 1.0 ? y : 0.5;
    double d = 1.0 - a, d_rest = (1.0 - d) - a;
    double w = 2.0 * a / d, rest = fma(-w, d_rest, fma(-w, d, 2.0 * a)) / d;
    double near = 0.5 * log_of_1_plus(w, rest);
    double outside = y == 1.0 ? (double)INFINITY : (double)NAN;
    return copysign(y < 1.0 ? near : outside, x);
}

float atanhf(float x)
{
    float y = fabsf(x), a = y < 1.0f ? y : 0.5f;
    float d = 1.0f - a, d_rest = (1.0f - d) - a;
    float w = 2.0f * a / d, rest = fmaf(-w, d_rest, fmaf(-w, d, 2.0f * a)) / d;
    float near = 0.5f * log_of_1_plusf(w, rest);
    float outside = y == 1.0f ? INFINITY : NAN;
    return copysignf(y < 1.0f ? near : outside, x);
}
