/* asin, acos, atan, atan2: polynomials on [0, 1/2] and [0, 1]; greater arguments by asin x = pi/2 - 2 asin sqrt((1 - x) / 2) and
 * atan x = pi/2 - atan(1 / x). Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"

/* (asin t - t) / t for z = t^2 */
static inline real asin_rest(real z)
{
    real w = z * z;
#ifdef FLOAT
    float even = fma(fma(0x1.d8b82ap-7f, w, 0x1.6cac82p-5f), w, 0x1.55554cp-3f);
    float odd = fma(fma(0x1.3367dcp-5f, w, 0x1.049d6ap-5f), w, 0x1.333896p-4f);
#else
    double even = fma(fma(fma(fma(fma(fma(0x1.0a5498ba841ap-5, w, 0x1.61736be6b58eap-6), w, 0x1.60c37c53569f8p-7), w,
            0x1.ca1cec27f0751p-7), w, 0x1.6e8bdd59f3cecp-6), w, 0x1.6db6db71f042dp-5), w, 0x1.5555555555576p-3);
    double odd = fma(fma(fma(fma(fma(-0x1.54f2adff088c8p-6, w, 0x1.ed16b9d7001d8p-9), w, 0x1.759b222ddbf0ep-7), w,
            0x1.1c4a0c33dcb7ep-6), w, 0x1.f1c71aa268624p-6), w, 0x1.333333332e3cdp-4);
#endif
    return z * fma(odd, z, even);
}

/* (atan t - t) / t for z = t^2 */
static inline real atan_rest(real z)
{
    real w = z * z;
#ifdef FLOAT
    float even = fma(fma(0x1.5d871ap-7f, w, 0x1.d6de14p-5f), w, 0x1.c0317ep-4f);
    float odd = fma(fma(-0x1.c7dc84p-10f, w, -0x1.f722e6p-6f), w, -0x1.5709bap-4f);
#else
    double even = fma(fma(fma(fma(fma(fma(fma(fma(-0x1.25266184ad6f3p-14, w, -0x1.9f0b517888afdp-10), w, -0x1.2a6e07035741p-7),
            w, -0x1.73fa797d64515p-6), w, -0x1.1ba25fd6afc7ep-5), w, -0x1.61d931b41bd6ep-5), w, -0x1.af0ac95309562p-5), w,
            -0x1.1110cb39b1618p-4), w, -0x1.745d16e4f2077p-4);
    double odd = fma(fma(fma(fma(fma(fma(fma(fma(0x1.7666dda628ec5p-18, w, 0x1.b540bc413c43cp-12), w, 0x1.1b36597f47f43p-8), w,
            0x1.ff4ce7528ed3ap-7), w, 0x1.dedfb79289981p-6), w, 0x1.402d7fa65c6p-5), w, 0x1.8583727ddcbcdp-5), w,
            0x1.e1dd470e0c32dp-5), w, 0x1.3b13ab1df44dep-4);
#endif
#ifdef FLOAT
    return z * fma(fma(fma(fma(odd, z, even), z, -0x1.24177ap-3f), z, 0x1.9991p-3f), z, -0x1.55553ap-2f);
#else
    return z * fma(fma(fma(fma(fma(odd, z, even), z, 0x1.c71c71c322166p-4), z, -0x1.2492492485ba8p-3), z, 0x1.999999999971bp-3),
            z, -0x1.5555555555554p-2);
#endif
}

real asin(real x)
{
    real y = fabs(x);
    int large = y > R(0.5);
    real z = large ? fma(y, -R(0.5), R(0.5)) : y * y;
    real t = large ? sqrt(z) : y, tail = t * asin_rest(z);
    real a = HALF_PI - 2 * t, rest = ((HALF_PI - a) - 2 * t) + HALF_PI_REST;
    return copysign(large ? a + fma(tail, -2, rest) : t + tail, x);
}

real acos(real x)
{
    real y = fabs(x);
    int large = y > R(0.5);
    real z = large ? fma(y, -R(0.5), R(0.5)) : y * y;
    real t = large ? sqrt(z) : x, tail = t * asin_rest(z);
    real a = HALF_PI - t, middle = a + (((HALF_PI - a) - t) + (HALF_PI_REST - tail));
    real b = PI - 2 * t, left = b + fma(tail, -2, ((PI - b) - 2 * t) + PI_REST);
    real outside = x < 0 ? left : 2 * (t + tail);
    return large ? outside : middle;
}

real atan(real x)
{
    real y = fabs(x);
    int large = y > 1;
    real t = large ? 1 / y : y, tail = t * atan_rest(t * t);
    real a = HALF_PI - t, rest = ((HALF_PI - a) - t) + (HALF_PI_REST - tail);
    return copysign(large ? a + rest : t + tail, x);
}

/* The angle of the smaller to the larger coordinate, then the octant; the quotient with what it lacks. */
real atan2(real y, real x)
{
    real a = fabs(x), b = fabs(y);
    int steep = b > a;
    real large = steep ? b : a, small = steep ? a : b;
    real per = 1 / large;
    int tame = (large > FORMAT(0x1p-900, 0x1p-90f)) & (large < FORMAT(0x1p900, 0x1p90f));
    real t = small / large, lack = fma(-t, large, small) * per;
    t = large == 0 ? 0 : small == INFINITY ? 1 : t;
    real tail = t * atan_rest(t * t) + (tame ? lack : 0);
    real c = HALF_PI - t, up = c + (((HALF_PI - c) - t) + (HALF_PI_REST - tail));
    real d = HALF_PI + t, upleft = d + (((HALF_PI - d) + t) + (HALF_PI_REST + tail));
    real e = PI - t, left = e + (((PI - e) - t) + (PI_REST - tail));
    int negative = bits(x) >> SIGN != 0u;
    real right = t + tail;
    real angle = steep ? (negative ? upleft : up) : (negative ? left : right);
    angle = (x == x) & (y == y) ? angle : x + y;
    return copysign(angle, y);
}
