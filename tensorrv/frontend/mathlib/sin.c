/* sin and cos: x = n pi + r for a whole n, or n one half more than that, with |r| <= pi/2; a polynomial in r is the sine of both
 * up to the sign of an odd n. tan: x = n pi/2 + r. Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"
#include "turns.h"

#define FAR FORMAT(0x1p30, 0x1p13f)

/* x - n pi for a small n, given pi in three parts. The first difference is exact. */
static inline struct angle near_angle(real x, real n, real part, real part1, real part2)
{
    real a = fma(n, -part, x), p = n * part1, r = a - p;
    real lost = ((a - r) - p) - fma(n, part1, -p);
    return (struct angle){r, fma(n, -part2, lost)};
}

/* sin(r + rest), negative when the lowest bit of `turns` says so; 1 - 4 z / pi^2 is near enough to the cosine for the rest */
static inline real sine(real r, real rest, word turns)
{
    real z = r * r;
    real w = z * z;
#ifdef FLOAT
    float even = fma(-0x1.9f70fp-13f, w, -0x1.55554cp-3f);
    float odd = fma(0x1.5dc906p-19f, w, 0x1.110edap-7f);
#else
    double even = fma(fma(fma(-0x1.ae43dc3edef7dp-41, w, -0x1.ae6454d95e938p-26), w, -0x1.a01a01a014eb6p-13), w,
            -0x1.5555555555555p-3);
    double odd = fma(fma(fma(0x1.883c0f3a4200fp-49, w, 0x1.6123ce504a2d9p-33), w, 0x1.71de3a52aab7bp-19), w,
            0x1.11111111110c9p-7);
#endif
    real p = fma(odd, z, even);
    real slope = r * p;
    real y = r + fma(slope, z, fma(slope, fma(r, r, -z), rest * fma(z, FORMAT(-0x1.9f02f7p-2, -0x1.9f02f6p-2f), 1)));
    return number(bits(y) ^ turns << SIGN);
}

real sin(real x)
{
    real shifted = fma(x, PER_PI, ROUND);
    struct angle a = near_angle(x, shifted - ROUND, PI, PI_REST, PI_REST2);
    real r = a.r, rest = a.rest;
    word turns = bits(shifted);
    if (!(fabs(x) < FAR)) {
        struct turn t = turned(x, 0, 0u);
        r = t.r;
        rest = t.rest;
        turns = t.turns;
    }
    real y = sine(r, rest, turns);
    return x == 0 ? x : y;
}

real cos(real x)
{
    real shifted = fma(x, PER_PI, R(0.5)) + ROUND;
    struct angle a = near_angle(x, (shifted - ROUND) - R(0.5), PI, PI_REST, PI_REST2);
    real r = a.r, rest = a.rest;
    word turns = bits(shifted);
    if (!(fabs(x) < FAR)) {
        struct turn t = turned(x, R(0.5), 0u);
        r = t.r;
        rest = t.rest;
        turns = t.turns;
    }
    real y = sine(r, rest, turns);
#ifdef FLOAT
    y = fabs(x) < 0x1p-13f ? 1 : y; /* the polynomial would give the number below 1 */
#endif
    return y;
}

/* tan(r + rest) as a sum, and for an odd number of turns -1 / tan, corrected once */
static inline real tangent(real r, real rest, word turns)
{
    real z = r * r, w = z * z;
#ifdef FLOAT
    float even = fma(fma(fma(0x1.1db0dep-8f, w, 0x1.622066p-7f), w, 0x1.bad73p-5f), w, 0x1.55556p-2f);
    float odd = fma(fma(0x1.0613a2p-13f, w, 0x1.5cdf8ep-6f), w, 0x1.110da8p-3f);
#else
    double even = fma(fma(fma(fma(fma(fma(fma(0x1.444dacca0e2fap-17, w, 0x1.8daaa4278b9f2p-15), w, 0x1.14fed60a8376dp-14), w,
            0x1.fea496ad92d59p-13), w, 0x1.7db0932350f88p-10), w, 0x1.226e3a12d633dp-7), w, 0x1.ba1ba1baaee5cp-5), w,
            0x1.555555555555dp-2);
    double odd = fma(fma(fma(fma(fma(fma(-0x1.8d15f4014032fp-16, w, -0x1.952d0806af091p-16), w, 0x1.613668fecc50bp-14), w,
            0x1.34c5d886f4a7ep-11), w, 0x1.d6d2f98e4cc7cp-9), w, 0x1.664f486098d63p-6), w, 0x1.1111111110708p-3);
#endif
    real p = fma(odd, z, even);
    real tail = fma(r * z, p, rest + rest * z), y = r + tail, lost = (r - y) + tail;
    real q = -1 / y;
    real inverse = fma(q, fma(q, lost, fma(q, y, 1)), q);
    return (turns & 1u) != 0u ? inverse : y;
}

real tan(real x)
{
    real shifted = fma(x, PER_HALF_PI, ROUND);
    struct angle a = near_angle(x, shifted - ROUND, HALF_PI, HALF_PI_REST, HALF_PI_REST2);
    real r = a.r, rest = a.rest;
    word turns = bits(shifted);
    if (!(fabs(x) < FAR)) {
        struct turn t = turned(x, 0, 1u);
        r = t.r * R(0.5);
        rest = t.rest * R(0.5);
        turns = t.turns;
    }
    real y = tangent(r, rest, turns);
    return x == 0 ? x : y;
}
