/* log, log2, log10, log1p: x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); log(1 + f) is odd in s = f / (2 + f), or for floats
 * a polynomial in f. Polynomials by tools/polynomials.py. */
#include "binary.h"
#include "bits.h"
#include "constants.h"
#include "log_rest.h"

double log(double x)
{
    uint64_t u = normal_bits(x);
    double k = exponent(u) - normal_shift(x);
    double f = fraction(u) - 1.0;
    double s = f / (2.0 + f), half = 0.5 * f * f;
    double rest = fma(s, half + log_rest(s * s), k * LN2_REST);
    return domain(x, fma(k, LN2, f - (half - rest)));
}

float logf(float x)
{
    uint32_t u = normal_bitsf(x);
    float k = exponentf(u) - normal_shiftf(x);
    float f = fractionf(u) - 1.0f, z = f * f;
    float rest = fmaf(log_restf(f, z) - 0.5f, z, k * LN2F_REST);
    return domainf(x, fmaf(k, LN2F, f + rest));
}

/* k a + log(1 + f) b, where a and b are given with what they lack: the logarithm to another base. */
static inline double other_base(double x, double a, double a_rest, double b, double b_rest)
{
    uint64_t u = normal_bits(x);
    double k = exponent(u) - normal_shift(x);
    double f = fraction(u) - 1.0;
    double s = f / (2.0 + f), half = 0.5 * f * f;
    double high = f - half, low = ((f - high) - half) + s * (half + log_rest(s * s));
    double product = high * b;
    double rest = fma(low, b, fma(high, b_rest, fma(high, b, -product)));
    double sum = fma(k, a, product);
    rest += (fma(k, a, -sum) + product) + k * a_rest;
    return domain(x, sum + rest);
}

static inline float other_basef(float x, float a, float a_rest, float b, float b_rest)
{
    uint32_t u = normal_bitsf(x);
    float k = exponentf(u) - normal_shiftf(x);
    float f = fractionf(u) - 1.0f, z = f * f;
    float half = 0.5f * z, high = f - half, low = fmaf(log_restf(f, z), z, ((f - high) - half) - fmaf(0.5f * f, f, -half));
    float product = high * b;
    float rest = fmaf(low, b, fmaf(high, b_rest, fmaf(high, b, -product)));
    float sum = fmaf(k, a, product);
    rest += (fmaf(k, a, -sum) + product) + k * a_rest;
    return domainf(x, sum + rest);
}

double log2(double x)
{
    return other_base(x, 1.0, 0.0, LOG2E, LOG2E_REST);
}

float log2f(float x)
{
    return other_basef(x, 1.0f, 0.0f, LOG2EF, LOG2EF_REST);
}

double log10(double x)
{
    return other_base(x, LOG10_2, LOG10_2_REST, LOG10E, LOG10E_REST);
}

float log10f(float x)
{
    return other_basef(x, LOG10_2F, LOG10_2F_REST, LOG10EF, LOG10EF_REST);
}

double log1p(double x)
{
    double u = 1.0 + x;
    double lost = fabs(x) > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    return fabs(x) < 0x1p-54 ? x : log_of_sum(u, lost, 0.0);
}

float log1pf(float x)
{
    float u = 1.0f + x;
    float lost = fabsf(x) > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    return fabsf(x) < 0x1p-25f ? x : log_of_sumf(u, lost, 0.0f);
}
