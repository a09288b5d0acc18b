/* Angles that are given, far from zero: x / pi modulo 2, without loss, as Payne and Hanek do it.
 *
 * With x = m 2^q for a whole number m, only those bits of 2^q / pi matter whose weight is less than 2, and as many of them as the
 * least distance of any x from a multiple of pi demands. They are taken from the bits of 1 / pi, which begin with 32 zeros here,
 * and made four numbers of 52 (23) bits. The products of m with these are exact as sums of two numbers. */
#ifndef TURNS_H
#define TURNS_H
#include "bits.h"
#include "constants.h"

/* x = turns * pi + r + rest; of `turns` the lowest bit counts */
struct angle {
    real r, rest;
};

struct turn {
    real r, rest;
    word turns;
};

/* For 2^`up` x + `shift` pi instead of x; |x| >= 2^30 (2^13) */
static inline struct turn turned(real x, real shift, word up)
{
    word u = bits(x) & ~((word)1 << SIGN);
#ifdef FLOAT
    uint32_t first = (u >> 23) + up - 119u;
    uint32_t place = first >> 5, left = first & 31u, right = 31u - left;
    uint32_t i0 = (place & 4u) != 0u ? 0xfa9a6ee0u : 0x00000000u;
    uint32_t i1 = (place & 4u) != 0u ? 0x6db14accu : 0x517cc1b7u;
    uint32_t i2 = (place & 4u) != 0u ? 0x9e21c820u : 0x27220a94u;
    uint32_t i3 = (place & 4u) != 0u ? 0xff28b1d5u : 0xfe13abe8u;
    uint32_t i4 = (place & 4u) != 0u ? 0xef5de2b0u : 0xfa9a6ee0u;
    uint32_t i5 = (place & 4u) != 0u ? 0xdb92371du : 0x6db14accu;
    uint32_t i6 = (place & 4u) != 0u ? 0u : 0x9e21c820u;
    uint32_t j0 = (place & 2u) != 0u ? i2 : i0;
    uint32_t j1 = (place & 2u) != 0u ? i3 : i1;
    uint32_t j2 = (place & 2u) != 0u ? i4 : i2;
    uint32_t j3 = (place & 2u) != 0u ? i5 : i3;
    uint32_t j4 = (place & 2u) != 0u ? i6 : i4;
    uint32_t k0 = (place & 1u) != 0u ? j1 : j0;
    uint32_t k1 = (place & 1u) != 0u ? j2 : j1;
    uint32_t k2 = (place & 1u) != 0u ? j3 : j2;
    uint32_t k3 = (place & 1u) != 0u ? j4 : j3;
    uint32_t w0 = k0 << left | k1 >> 1 >> right, w1 = k1 << left | k2 >> 1 >> right;
    uint32_t w2 = k2 << left | k3 >> 1 >> right;
    float m = number((u & 0x007fffffu) | 0x4b000000u);
    float d0 = (number(w0 >> 9 | 0x4b000000u) - 0x1p23f) * 0x1p-22f;
    float d1 = (number((w0 << 14 & 0x007fc000u) | w1 >> 18 | 0x4b000000u) - 0x1p23f) * 0x1p-45f;
    float d2 = (number((w1 << 5 & 0x007fffe0u) | w2 >> 27 | 0x4b000000u) - 0x1p23f) * 0x1p-68f;
    float d3 = (number((w2 >> 4 & 0x007fffffu) | 0x4b000000u) - 0x1p23f) * 0x1p-91f;
#else
    uint64_t first = (u >> 52) + up - 1044u; /* the bit of weight 1 */
    uint64_t place = first >> 6, left = first & 63u, right = 63u - left;
    uint64_t a0 = (place & 8u) != 0u ? 0x975da24274ce3813u : 0x00000000517cc1b7u;
    uint64_t a1 = (place & 8u) != 0u ? 0x5a2fbf209cc8eb1cu : 0x27220a94fe13abe8u;
    uint64_t a2 = (place & 8u) != 0u ? 0xc1a99cfa4e422fc5u : 0xfa9a6ee06db14accu;
    uint64_t a3 = (place & 8u) != 0u ? 0xdefc941d8ffc4bffu : 0x9e21c820ff28b1d5u;
    uint64_t a4 = (place & 8u) != 0u ? 0xef02cc07f79788c5u : 0xef5de2b0db92371du;
    uint64_t a5 = (place & 8u) != 0u ? 0xad05368fb69b3f67u : 0x2126e97003249775u;
    uint64_t a6 = (place & 8u) != 0u ? 0x93e584dba7a31fb3u : 0x04e8c90e7f0ef58eu;
    uint64_t a7 = (place & 8u) != 0u ? 0x4f2ff516ba93dd63u : 0x5894d39f74411afau;
    uint64_t a8 = (place & 8u) != 0u ? 0xf5f2f8bd9e839cfbu : 0x975da24274ce3813u;
    uint64_t a9 = (place & 8u) != 0u ? 0xc529497535fdafd8u : 0x5a2fbf209cc8eb1cu;
    uint64_t a10 = (place & 8u) != 0u ? 0x8fc6ae842b019823u : 0xc1a99cfa4e422fc5u;
    uint64_t a11 = (place & 8u) != 0u ? 0x7e3db5d5f867de10u : 0xdefc941d8ffc4bffu;
    uint64_t b0 = (place & 4u) != 0u ? a4 : a0;
    uint64_t b1 = (place & 4u) != 0u ? a5 : a1;
    uint64_t b2 = (place & 4u) != 0u ? a6 : a2;
    uint64_t b3 = (place & 4u) != 0u ? a7 : a3;
    uint64_t b4 = (place & 4u) != 0u ? a8 : a4;
    uint64_t b5 = (place & 4u) != 0u ? a9 : a5;
    uint64_t b6 = (place & 4u) != 0u ? a10 : a6;
    uint64_t b7 = (place & 4u) != 0u ? a11 : a7;
    uint64_t c0 = (place & 2u) != 0u ? b2 : b0;
    uint64_t c1 = (place & 2u) != 0u ? b3 : b1;
    uint64_t c2 = (place & 2u) != 0u ? b4 : b2;
    uint64_t c3 = (place & 2u) != 0u ? b5 : b3;
    uint64_t c4 = (place & 2u) != 0u ? b6 : b4;
    uint64_t c5 = (place & 2u) != 0u ? b7 : b5;
    uint64_t l0 = (place & 1u) != 0u ? c1 : c0;
    uint64_t l1 = (place & 1u) != 0u ? c2 : c1;
    uint64_t l2 = (place & 1u) != 0u ? c3 : c2;
    uint64_t l3 = (place & 1u) != 0u ? c4 : c3;
    uint64_t l4 = (place & 1u) != 0u ? c5 : c4;
    uint64_t w0 = l0 << left | l1 >> 1 >> right, w1 = l1 << left | l2 >> 1 >> right;
    uint64_t w2 = l2 << left | l3 >> 1 >> right, w3 = l3 << left | l4 >> 1 >> right;
    double m = number((u & 0x000fffffffffffffu) | 0x4330000000000000u);
    double d0 = (number(w0 >> 12 | 0x4330000000000000u) - 0x1p52) * 0x1p-51;
    double d1 = (number((w0 << 40 & 0x000fff0000000000u) | w1 >> 24 | 0x4330000000000000u) - 0x1p52) * 0x1p-103;
    double d2 = (number((w1 << 28 & 0x000ffffff0000000u) | w2 >> 36 | 0x4330000000000000u) - 0x1p52) * 0x1p-155;
    double d3 = (number((w2 << 16 & 0x000fffffffff0000u) | w3 >> 48 | 0x4330000000000000u) - 0x1p52) * 0x1p-207;
#endif
    real p0 = m * d0, q0 = fma(m, d0, -p0), p1 = m * d1, q1 = fma(m, d1, -p1), p2 = m * d2, q2 = fma(m, d2, -p2);
    real whole = fma(rint(p0 * R(0.5)), -2, p0) + q0; /* exact: multiples of 2^-51 below 4 */
    real sign = copysign(1, x);
    real begin = fma(sign, whole, shift);
    real turns1 = rint(begin), turns2 = rint(sign * p1);
    real a = begin - turns1, b = fma(sign, p1, -turns2);
    real turns3 = rint(a + b), shifted = ROUND + (turns1 + turns2 + turns3);
    a -= turns3;
    /* the sum of a and b, of q1 and p2, and of both sums, each with what it loses */
    real s = a + b, s1 = s - a, lost = (a - (s - s1)) + (b - s1);
    real t = q1 + p2, t1 = t - q1, lost2 = (q1 - (t - t1)) + (p2 - t1);
    t *= sign;
    real f = s + t, f1 = f - s, lost3 = (s - (f - f1)) + (t - f1);
    real low = lost3 + (lost + sign * (lost2 + (q2 + m * d3)));
    real r = f * PI;
    real rest = fma(low, PI, fma(f, PI_REST, fma(f, PI, -r)));
    real invalid = x - x; /* a NaN for infinities and NaNs */
    return (struct turn){r + invalid, rest, bits(shifted)};
}

#endif
