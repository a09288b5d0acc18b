/* pow: y log2|x| with twice the precision, and 2 to that power. log2 as in log.c, its first two terms in s = f / (2 + f) and all
 * sums with what they lose. Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "binary.h"
#include "constants.h"

#define THIRD 0x1.5555555555555p-2
#define THIRD_REST 0x1.5555555555555p-56
#define THIRDF 0x1.555556p-2f
#define THIRDF_REST -0x1.555556p-27f

struct sum {
    double high, low;
};

struct sumf {
    float high, low;
};

/* log2 of a positive number */
static inline struct sum log2_sum(double x)
{
    uint64_t u = normal_bits(x);
    double k = exponent(u) - normal_shift(x), f = fraction(u) - 1.0;
    double t = 2.0 + f, per = 1.0 / t, s = f * per;
    double s1 = fma(-s, f - (t - 2.0), fma(-s, t, f)) * per;
    double z = s * s, z1 = fma(s, s, -z) + 2.0 * s * s1;
    double w = z * z;
    double even = fma(fma(fma(0x1.0e5ae1ecb6655p-4, w, 0x1.3b1f0dbc23183p-4), w, 0x1.c71c72300ad79p-4), w,
            0x1.9999999999b46p-3);
    double odd = fma(fma(0x1.0f7d1937f10a3p-4, w, 0x1.745ce914f4f47p-4), w, 0x1.2492492455aa1p-3);
    double p = z * fma(odd, z, even);
    double c = THIRD + p, c1 = (THIRD - c) + p + THIRD_REST;
    double v = s * z, v1 = fma(s, z, -v) + fma(s, z1, s1 * z);
    double q = v * c, q1 = fma(v, c, -q) + fma(v, c1, v1 * c);
    double h = s + q, h1 = (s - h) + q + (q1 + s1);
    double product = h * (2.0 * LOG2E), product1 = fma(h, 2.0 * LOG2E, -product) + fma(h, 2.0 * LOG2E_REST, h1 * (2.0 * LOG2E));
    double sum = k + product;
    return (struct sum){sum, (k - sum) + product + product1};
}

static inline struct sumf log2_sumf(float x)
{
    uint32_t u = normal_bitsf(x);
    float k = exponentf(u) - normal_shiftf(x), f = fractionf(u) - 1.0f;
    float t = 2.0f + f, per = 1.0f / t, s = f * per;
    float s1 = fmaf(-s, f - (t - 2.0f), fmaf(-s, t, f)) * per;
    float z = s * s, z1 = fmaf(s, s, -z) + 2.0f * s * s1;
    float w = z * z;
    float even = fmaf(0x1.dfbd08p-4f, w, 0x1.999a02p-3f);
    float odd = 0x1.2451d4p-3f;
    float p = z * fmaf(odd, z, even);
    float c = THIRDF + p, c1 = (THIRDF - c) + p + THIRDF_REST;
    float v = s * z, v1 = fmaf(s, z, -v) + fmaf(s, z1, s1 * z);
    float q = v * c, q1 = fmaf(v, c, -q) + fmaf(v, c1, v1 * c);
    float h = s + q, h1 = (s - h) + q + (q1 + s1);
    float product = h * (2.0f * LOG2EF);
    float product1 = fmaf(h, 2.0f * LOG2EF, -product) + fmaf(h, 2.0f * LOG2EF_REST, h1 * (2.0f * LOG2EF));
    float sum = k + product;
    return (struct sumf){sum, (k - sum) + product + product1};
}

/* 2^(high + low). With high = 1024 the sum may be less. */
static inline double power(double high, double low)
{
    double t = high > 1024.0 ? 1024.0 : high;
    t = t < -1100.0 ? -1100.0 : t;
    double shifted = t + ROUND, n = shifted - ROUND, r = (t - n) + (fabs(high) < 1100.0 ? low : 0.0);
    double z = r * r;
    double even = fma(fma(fma(fma(fma(0x1.eb0754d5d1ac4p-32, z, 0x1.b5241c91658f4p-24), z, 0x1.ffcbfcde55481p-17), z,
            0x1.5d87fe788836bp-10), z, 0x1.c6b08d704a185p-5), z, 0x1.62e42fefa39efp-1);
    double odd = fma(fma(fma(fma(fma(0x1.d487100e0d40fp-36, z, 0x1.e4c3801506237p-28), z, 0x1.62c025606fa91p-20), z,
            0x1.430912f7a9f3ep-13), z, 0x1.3b2ab6fba50fep-7), z, 0x1.ebfbdff82c58ep-3);
    double p = fma(odd, r, even);
    double y = fma(r, p, 1.0);
    int below = (high < 1024.0) | ((high == 1024.0) & (y < 1.0));
    return below ? scaled(y, shifted) : high * (double)INFINITY;
}

static inline float powerf(float high, float low)
{
    float t = high > 128.0f ? 128.0f : high;
    t = t < -160.0f ? -160.0f : t;
    float shifted = t + ROUNDF, n = shifted - ROUNDF, r = (t - n) + (fabsf(high) < 160.0f ? low : 0.0f);
    float z = r * r;
    float even = fmaf(fmaf(0x1.5f0b8cp-10f, z, 0x1.c6af76p-5f), z, 0x1.62e43p-1f);
    float odd = fmaf(fmaf(0x1.3f9bcp-13f, z, 0x1.3b30a6p-7f), z, 0x1.ebfbd8p-3f);
    float p = fmaf(odd, r, even);
    float y = fmaf(r, p, 1.0f);
    int below = (high < 128.0f) | ((high == 128.0f) & (y < 1.0f));
    return below ? scaledf(y, shifted) : high * INFINITY;
}

double pow(double x, double y)
{
    double a = fabs(x);
    struct sum l = log2_sum(a);
    double high = a < INFINITY ? l.high : a;
    high = a == 0.0 ? -(double)INFINITY : high;
    double product = y * high;
    double size = power(product, fma(y, high, -product) + y * l.low);
    int whole = rint(y) == y, odd = whole & (rint(y * 0.5) * 2.0 != y);
    double sign = odd ? copysign(1.0, x) : 1.0;
    double result = size * sign;
    result = (x < 0.0) & !whole & (a < INFINITY) ? (double)NAN : result;
    result = (a == 1.0) & (fabs(y) == INFINITY) ? 1.0 : result;
    return (x == 1.0) | (y == 0.0) ? 1.0 : result;
}

float powf(float x, float y)
{
    float a = fabsf(x);
    struct sumf l = log2_sumf(a);
    float high = a < INFINITY ? l.high : a;
    high = a == 0.0f ? -INFINITY : high;
    float product = y * high;
    float size = powerf(product, fmaf(y, high, -product) + y * l.low);
    int whole = rintf(y) == y, odd = whole & (rintf(y * 0.5f) * 2.0f != y);
    float sign = odd ? copysignf(1.0f, x) : 1.0f;
    float result = size * sign;
    result = (x < 0.0f) & !whole & (a < INFINITY) ? NAN : result;
    result = (a == 1.0f) & (fabsf(y) == INFINITY) ? 1.0f : result;
    return (x == 1.0f) | (y == 0.0f) ? 1.0f : result;
}
