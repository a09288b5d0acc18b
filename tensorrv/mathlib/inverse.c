/* asin, acos, atan, atan2: polynomials on [0, 1/2] and [0, 1]; greater arguments by asin x = pi/2 - 2 asin sqrt((1 - x) / 2) and
 * atan x = pi/2 - atan(1 / x). Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"

/* (asin t - t) / t for z = t^2 */
static inline double asin_rest(double z)
{
    double w = z * z;
    double even = fma(fma(fma(fma(fma(fma(0x1.0a5498ba841ap-5, w, 0x1.61736be6b58eap-6), w, 0x1.60c37c53569f8p-7), w,
            0x1.ca1cec27f0751p-7), w, 0x1.6e8bdd59f3cecp-6), w, 0x1.6db6db71f042dp-5), w, 0x1.5555555555576p-3);
    double odd = fma(fma(fma(fma(fma(-0x1.54f2adff088c8p-6, w, 0x1.ed16b9d7001d8p-9), w, 0x1.759b222ddbf0ep-7), w,
            0x1.1c4a0c33dcb7ep-6), w, 0x1.f1c71aa268624p-6), w, 0x1.333333332e3cdp-4);
    return z * fma(odd, z, even);
}

static inline float asin_restf(float z)
{
    float w = z * z;
    float even = fmaf(fmaf(0x1.d8b82ap-7f, w, 0x1.6cac82p-5f), w, 0x1.55554cp-3f);
    float odd = fmaf(fmaf(0x1.3367dcp-5f, w, 0x1.049d6ap-5f), w, 0x1.333896p-4f);
    return z * fmaf(odd, z, even);
}

/* (atan t - t) / t for z = t^2 */
static inline double atan_rest(double z)
{
    double w = z * z;
    double even = fma(fma(fma(fma(fma(fma(fma(fma(-0x1.25266184ad6f3p-14, w, -0x1.9f0b517888afdp-10), w, -0x1.2a6e07035741p-7),
            w, -0x1.73fa797d64515p-6), w, -0x1.1ba25fd6afc7ep-5), w, -0x1.61d931b41bd6ep-5), w, -0x1.af0ac95309562p-5), w,
            -0x1.1110cb39b1618p-4), w, -0x1.745d16e4f2077p-4);
    double odd = fma(fma(fma(fma(fma(fma(fma(fma(0x1.7666dda628ec5p-18, w, 0x1.b540bc413c43cp-12), w, 0x1.1b36597f47f43p-8), w,
            0x1.ff4ce7528ed3ap-7), w, 0x1.dedfb79289981p-6), w, 0x1.402d7fa65c6p-5), w, 0x1.8583727ddcbcdp-5), w,
            0x1.e1dd470e0c32dp-5), w, 0x1.3b13ab1df44dep-4);
    return z * fma(fma(fma(fma(fma(odd, z, even), z, 0x1.c71c71c322166p-4), z, -0x1.2492492485ba8p-3), z, 0x1.999999999971bp-3),
            z, -0x1.5555555555554p-2);
}

static inline float atan_restf(float z)
{
    float w = z * z;
    float even = fmaf(fmaf(0x1.5d871ap-7f, w, 0x1.d6de14p-5f), w, 0x1.c0317ep-4f);
    float odd = fmaf(fmaf(-0x1.c7dc84p-10f, w, -0x1.f722e6p-6f), w, -0x1.5709bap-4f);
    return z * fmaf(fmaf(fmaf(fmaf(odd, z, even), z, -0x1.24177ap-3f), z, 0x1.9991p-3f), z, -0x1.55553ap-2f);
}

double asin(double x)
{
    double y = fabs(x);
    int large = y > 0.5;
    double z = large ? fma(y, -0.5, 0.5) : y * y;
    double t = large ? sqrt(z) : y, tail = t * asin_rest(z);
    double a = HALF_PI - 2.0 * t, rest = ((HALF_PI - a) - 2.0 * t) + HALF_PI_REST;
    return copysign(large ? a + fma(tail, -2.0, rest) : t + tail, x);
}

float asinf(float x)
{
    float y = fabsf(x);
    int large = y > 0.5f;
    float z = large ? fmaf(y, -0.5f, 0.5f) : y * y;
    float t = large ? sqrtf(z) : y, tail = t * asin_restf(z);
    float a = HALF_PIF - 2.0f * t, rest = ((HALF_PIF - a) - 2.0f * t) + HALF_PIF_REST;
    return copysignf(large ? a + fmaf(tail, -2.0f, rest) : t + tail, x);
}

double acos(double x)
{
    double y = fabs(x);
    int large = y > 0.5;
    double z = large ? fma(y, -0.5, 0.5) : y * y;
    double t = large ? sqrt(z) : x, tail = t * asin_rest(z);
    double a = HALF_PI - t, middle = a + (((HALF_PI - a) - t) + (HALF_PI_REST - tail));
    double b = PI - 2.0 * t, left = b + fma(tail, -2.0, ((PI - b) - 2.0 * t) + PI_REST);
    double outside = x < 0.0 ? left : 2.0 * (t + tail);
    return large ? outside : middle;
}

float acosf(float x)
{
    float y = fabsf(x);
    int large = y > 0.5f;
    float z = large ? fmaf(y, -0.5f, 0.5f) : y * y;
    float t = large ? sqrtf(z) : x, tail = t * asin_restf(z);
    float a = HALF_PIF - t, middle = a + (((HALF_PIF - a) - t) + (HALF_PIF_REST - tail));
    float b = PIF - 2.0f * t, left = b + fmaf(tail, -2.0f, ((PIF - b) - 2.0f * t) + PIF_REST);
    float outside = x < 0.0f ? left : 2.0f * (t + tail);
    return large ? outside : middle;
}

double atan(double x)
{
    double y = fabs(x);
    int large = y > 1.0;
    double t = large ? 1.0 / y : y, tail = t * atan_rest(t * t);
    double a = HALF_PI - t, rest = ((HALF_PI - a) - t) + (HALF_PI_REST - tail);
    return copysign(large ? a + rest : t + tail, x);
}

float atanf(float x)
{
    float y = fabsf(x);
    int large = y > 1.0f;
    float t = large ? 1.0f / y : y, tail = t * atan_restf(t * t);
    float a = HALF_PIF - t, rest = ((HALF_PIF - a) - t) + (HALF_PIF_REST - tail);
    return copysignf(large ? a + rest : t + tail, x);
}

/* The angle of the smaller to the larger coordinate, then the octant; the quotient with what it lacks. */
double atan2(double y, double x)
{
    double a = fabs(x), b = fabs(y);
    int steep = b > a;
    double large = steep ? b : a, small = steep ? a : b;
    double per = 1.0 / large;
    int tame = (large > 0x1p-900) & (large < 0x1p900);
    double t = small / large, lack = fma(-t, large, small) * per;
    t = large == 0.0 ? 0.0 : small == INFINITY ? 1.0 : t;
    double tail = t * atan_rest(t * t) + (tame ? lack : 0.0);
    double c = HALF_PI - t, up = c + (((HALF_PI - c) - t) + (HALF_PI_REST - tail));
    double d = HALF_PI + t, upleft = d + (((HALF_PI - d) + t) + (HALF_PI_REST + tail));
    double e = PI - t, left = e + (((PI - e) - t) + (PI_REST - tail));
    int negative = bits(x) >> 63 != 0u;
    double right = t + tail;
    double angle = steep ? (negative ? upleft : up) : (negative ? left : right);
    angle = (x == x) & (y == y) ? angle : x + y;
    return copysign(angle, y);
}

float atan2f(float y, float x)
{
    float a = fabsf(x), b = fabsf(y);
    int steep = b > a;
    float large = steep ? b : a, small = steep ? a : b;
    float per = 1.0f / large;
    int tame = (large > 0x1p-90f) & (large < 0x1p90f);
    float t = small / large, lack = fmaf(-t, large, small) * per;
    t = large == 0.0f ? 0.0f : small == INFINITY ? 1.0f : t;
    float tail = t * atan_restf(t * t) + (tame ? lack : 0.0f);
    float c = HALF_PIF - t, up = c + (((HALF_PIF - c) - t) + (HALF_PIF_REST - tail));
    float d = HALF_PIF + t, upleft = d + (((HALF_PIF - d) + t) + (HALF_PIF_REST + tail));
    float e = PIF - t, left = e + (((PIF - e) - t) + (PIF_REST - tail));
    int negative = bitsf(x) >> 31 != 0u;
    float right = t + tail;
    float angle = steep ? (negative ? upleft : up) : (negative ? left : right);
    angle = (x == x) & (y == y) ? angle : x + y;
    return copysignf(angle, y);
}
