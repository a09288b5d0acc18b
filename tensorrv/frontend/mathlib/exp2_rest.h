/* 2^r near 1. Polynomials by tools/polynomials.py. */
#ifndef EXP2_REST_H
#define EXP2_REST_H
#include "real.h"

/* (2^r - 1) / r for z = r^2 */
static inline real exp2_rest(real r, real z)
{
#ifdef FLOAT
    float even = fma(fma(0x1.5f0b8cp-10f, z, 0x1.c6af76p-5f), z, 0x1.62e43p-1f);
    float odd = fma(fma(0x1.3f9bcp-13f, z, 0x1.3b30a6p-7f), z, 0x1.ebfbd8p-3f);
#else
    double even = fma(fma(fma(fma(fma(0x1.eb0754d5d1ac4p-32, z, 0x1.b5241c91658f4p-24), z, 0x1.ffcbfcde55481p-17), z,
            0x1.5d87fe788836bp-10), z, 0x1.c6b08d704a185p-5), z, 0x1.62e42fefa39efp-1);
    double odd = fma(fma(fma(fma(fma(0x1.d487100e0d40fp-36, z, 0x1.e4c3801506237p-28), z, 0x1.62c025606fa91p-20), z,
            0x1.430912f7a9f3ep-13), z, 0x1.3b2ab6fba50fep-7), z, 0x1.ebfbdff82c58ep-3);
#endif
    return fma(odd, r, even);
}

#endif
