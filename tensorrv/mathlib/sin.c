/* sin and cos: x = n pi + r for a whole n, or n one half more than that, with |r| <= pi/2; a polynomial in r is the sine of both
 * up to the sign of an odd n. tan: x = n pi/2 + r. Polynomials by tools/polynomials.py. */
#include "bits.h"
#include "constants.h"
#include "turns.h"

#define FAR 0x1p30
#define FARF 0x1p13f

/* x - n pi for a small n, given pi in three parts. The first difference is exact. */
static inline struct angle near_angle(double x, double n, double part, double part1, double part2)
{
    double a = fma(n, -part, x), p = n * part1, r = a - p;
    double lost = ((a - r) - p) - fma(n, part1, -p);
    return (struct angle){r, fma(n, -part2, lost)};
}

static inline struct anglef near_anglef(float x, float n, float part, float part1, float part2)
{
    float a = fmaf(n, -part, x), p = n * part1, r = a - p;
    float lost = ((a - r) - p) - fmaf(n, part1, -p);
    return (struct anglef){r, fmaf(n, -part2, lost)};
}

/* sin(r + rest), negative when the lowest bit of `turns` says so; 1 - 4 z / pi^2 is near enough to the cosine for the rest */
static inline double sine(double r, double rest, uint64_t turns)
{
    double z = r * r;
    double w = z * z;
    double even = fma(fma(fma(-0x1.ae43dc3edef7dp-41, w, -0x1.ae6454d95e938p-26), w, -0x1.a01a01a014eb6p-13), w,
            -0x1.5555555555555p-3);
    double odd = fma(fma(fma(0x1.883c0f3a4200fp-49, w, 0x1.6123ce504a2d9p-33), w, 0x1.71de3a52aab7bp-19), w,
            0x1.11111111110c9p-7);
    double p = fma(odd, z, even);
    double slope = r * p;
    double y = r + fma(slope, z, fma(slope, fma(r, r, -z), rest * fma(z, -0x1.9f02f7p-2, 1.0)));
    return number(bits(y) ^ turns << 63);
}

static inline float sinef(float r, float rest, uint32_t turns)
{
    float z = r * r;
    float w = z * z;
    float even = fmaf(-0x1.9f70fp-13f, w, -0x1.55554cp-3f);
    float odd = fmaf(0x1.5dc906p-19f, w, 0x1.110edap-7f);
    float p = fmaf(odd, z, even);
    float slope = r * p;
    float y = r + fmaf(slope, z, fmaf(slope, fmaf(r, r, -z), rest * fmaf(z, -0x1.9f02f6p-2f, 1.0f)));
    return numberf(bitsf(y) ^ turns << 31);
}

double sin(double x)
{
    double shifted = fma(x, PER_PI, ROUND);
    struct angle a = near_angle(x, shifted - ROUND, PI, PI_REST, PI_REST2);
    double r = a.r, rest = a.rest;
    uint64_t turns = bits(shifted);
    if (!(fabs(x) < FAR)) {
        struct turn t = turned(x, 0.0, 0u);
        r = t.r;
        rest = t.rest;
        turns = t.turns;
    }
    double y = sine(r, rest, turns);
    return x == 0.0 ? x : y;
}

float sinf(float x)
{
    float shifted = fmaf(x, PER_PIF, ROUNDF);
    struct anglef a = near_anglef(x, shifted - ROUNDF, PIF, PIF_REST, PIF_REST2);
    float r = a.r, rest = a.rest;
    uint32_t turns = bitsf(shifted);
    if (!(fabsf(x) < FARF)) {
        struct turnf t = turnedf(x, 0.0f, 0u);
        r = t.r;
        rest = t.rest;
        turns = t.turns;
    }
    float y = sinef(r, rest, turns);
    return x == 0.0f ? x : y;
}

double cos(double x)
{
    double shifted = fma(x, PER_PI, 0.5) + ROUND;
    struct angle a = near_angle(x, (shifted - ROUND) - 0.5, PI, PI_REST, PI_REST2);
    double r = a.r, rest = a.rest;
    uint64_t turns = bits(shifted);
    if (!(fabs(x) < FAR)) {
        struct turn t = turned(x, 0.5, 0u);
        r = t.r;
        rest = t.rest;
        turns = t.turns;
    }
    return sine(r, rest, turns);
}

float cosf(float x)
{
    float shifted = fmaf(x, PER_PIF, 0.5f) + ROUNDF;
    struct anglef a = near_anglef(x, (shifted - ROUNDF) - 0.5f, PIF, PIF_REST, PIF_REST2);
    float r = a.r, rest = a.rest;
    uint32_t turns = bitsf(shifted);
    if (!(fabsf(x) < FARF)) {
        struct turnf t = turnedf(x, 0.5f, 0u);
        r = t.r;
        rest = t.rest;
        turns = t.turns;
    }
    float y = sinef(r, rest, turns);
    return fabsf(x) < 0x1p-13f ? 1.0f : y; /* the polynomial would give the number below 1 */
}

/* tan(r + rest) as a sum, and for an odd number of turns -1 / tan, corrected once */
static inline double tangent(double r, double rest, uint64_t turns)
{
    double z = r * r, w = z * z;
    double even = fma(fma(fma(fma(fma(fma(fma(0x1.444dacca0e2fap-17, w, 0x1.8daaa4278b9f2p-15), w, 0x1.14fed60a8376dp-14), w,
            0x1.fea496ad92d59p-13), w, 0x1.7db0932350f88p-10), w, 0x1.226e3a12d633dp-7), w, 0x1.ba1ba1baaee5cp-5), w,
            0x1.555555555555dp-2);
    double odd = fma(fma(fma(fma(fma(fma(-0x1.8d15f4014032fp-16, w, -0x1.952d0806af091p-16), w, 0x1.613668fecc50bp-14), w,
            0x1.34c5d886f4a7ep-11), w, 0x1.d6d2f98e4cc7cp-9), w, 0x1.664f486098d63p-6), w, 0x1.1111111110708p-3);
    double p = fma(odd, z, even);
    double tail = fma(r * z, p, rest + rest * z), y = r + tail, lost = (r - y) + tail;
    double q = -1.0 / y;
    double inverse = fma(q, fma(q, lost, fma(q, y, 1.0)), q);
    return (turns & 1u) != 0u ? inverse : y;
}

static inline float tangentf(float r, float rest, uint32_t turns)
{
    float z = r * r, w = z * z;
    float even = fmaf(fmaf(fmaf(0x1.1db0dep-8f, w, 0x1.622066p-7f), w, 0x1.bad73p-5f), w, 0x1.55556p-2f);
    float odd = fmaf(fmaf(0x1.0613a2p-13f, w, 0x1.5cdf8ep-6f), w, 0x1.110da8p-3f);
    float p = fmaf(odd, z, even);
    float tail = fmaf(r * z, p, rest + rest * z), y = r + tail, lost = (r - y) + tail;
    float q = -1.0f / y;
    float inverse = fmaf(q, fmaf(q, lost, fmaf(q, y, 1.0f)), q);
    return (turns & 1u) != 0u ? inverse : y;
}

double tan(double x)
{
    double shifted = fma(x, PER_HALF_PI, ROUND);
    struct angle a = near_angle(x, shifted - ROUND, HALF_PI, HALF_PI_REST, HALF_PI_REST2);
    double r = a.r, rest = a.rest;
    uint64_t turns = bits(shifted);
    if (!(fabs(x) < FAR)) {
        struct turn t = turned(x, 0.0, 1u);
        r = t.r * 0.5;
        rest = t.rest * 0.5;
        turns = t.turns;
    }
    double y = tangent(r, rest, turns);
    return x == 0.0 ? x : y;
}

float tanf(float x)
{
    float shifted = fmaf(x, PER_HALF_PIF, ROUNDF);
    struct anglef a = near_anglef(x, shifted - ROUNDF, HALF_PIF, HALF_PIF_REST, HALF_PIF_REST2);
    float r = a.r, rest = a.rest;
    uint32_t turns = bitsf(shifted);
    if (!(fabsf(x) < FARF)) {
        struct turnf t = turnedf(x, 0.0f, 1u);
        r = t.r * 0.5f;
        rest = t.rest * 0.5f;
        turns = t.turns;
    }
    float y = tangentf(r, rest, turns);
    return x == 0.0f ? x : y;
}
