/* pow: y log2|x| with twice the precision, and 2 to that power. log2 as in log.c, its first two terms in s = f / (2 + f) and all
 * sums with what they lose. Polynomials by tools/polynomials.py. */
#include "binary.h"
#include "bits.h"
#include "constants.h"
#include "exp2_rest.h"

#define THIRD FORMAT(0x1.5555555555555p-2, 0x1.555556p-2f)
#define THIRD_REST FORMAT(0x1.5555555555555p-56, -0x1.555556p-27f)

struct sum {
    real high, low;
};

/* log2 of a positive number; for 0 and inf `high` alone is it */
static inline struct sum log2_sum(real x)
{
    struct binary b = binary(x);
    real k = b.k, f = b.f;
    real t = 2 + f, per = 1 / t, s = f * per;
    real s1 = fma(-s, f - (t - 2), fma(-s, t, f)) * per;
    real z = s * s, z1 = fma(s, s, -z) + 2 * s * s1;
    real w = z * z;
#ifdef FLOAT
    float even = fma(0x1.dfbd08p-4f, w, 0x1.999a02p-3f);
    float odd = 0x1.2451d4p-3f;
#else
    double even = fma(fma(fma(0x1.0e5ae1ecb6655p-4, w, 0x1.3b1f0dbc23183p-4), w, 0x1.c71c72300ad79p-4), w,
            0x1.9999999999b46p-3);
    double odd = fma(fma(0x1.0f7d1937f10a3p-4, w, 0x1.745ce914f4f47p-4), w, 0x1.2492492455aa1p-3);
#endif
    real p = z * fma(odd, z, even);
    real c = THIRD + p, c1 = (THIRD - c) + p + THIRD_REST;
    real v = s * z, v1 = fma(s, z, -v) + fma(s, z1, s1 * z);
    real q = v * c, q1 = fma(v, c, -q) + fma(v, c1, v1 * c);
    real h = s + q, h1 = (s - h) + q + (q1 + s1);
    real base = 2 * LOG2E, base_rest = 2 * LOG2E_REST;
    real product = h * base, product1 = fma(h, base, -product) + fma(h, base_rest, h1 * base);
    real sum = k + product;
    return (struct sum){sum, (k - sum) + product + product1};
}

/* 2^(high + low). With high = 1024 (128) the sum may be less. */
static inline real power(real high, real low)
{
    real most = FORMAT(1024.0, 128.0f), least = FORMAT(1100.0, 160.0f);
    real t = high > most ? most : high;
    t = t < -least ? -least : t;
    real shifted = t + ROUND, n = shifted - ROUND, r = (t - n) + (fabs(high) < least ? low : 0);
    real y = fma(r, exp2_rest(r, r * r), 1);
    int below = (high < most) | ((high == most) & (y < 1));
    return below ? scaled(y, shifted) : high * (real)INFINITY;
}

real pow(real x, real y)
{
    real a = fabs(x);
    struct sum l = log2_sum(a);
    real product = y * l.high;
    real size = power(product, fma(y, l.high, -product) + y * l.low);
    int whole = rint(y) == y, odd = whole & (rint(y * R(0.5)) * 2 != y);
    real sign = odd ? copysign(1, x) : 1;
    real result = size * sign;
    result = (x < 0) & !whole & (a < INFINITY) ? (real)NAN : result;
    result = (a == 1) & (fabs(y) == INFINITY) ? 1 : result;
    return (x == 1) | (y == 0) ? 1 : result;
}
