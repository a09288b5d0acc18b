/* e^r near 1. Polynomials by tools/polynomials.py. */
#ifndef EXP_REST_H
#define EXP_REST_H
#include "real.h"

/* (e^r - 1 - r) / r^2 for z = r^2 */
static inline real exp_rest(real r, real z)
{
#ifdef FLOAT
    float even = fma(fma(0x1.6c62c6p-10f, z, 0x1.5555b2p-5f), z, 0x1p-1f);
    float odd = fma(0x1.123bcep-7f, z, 0x1.55548ep-3f);
#else
    double even = fma(fma(fma(fma(0x1.28a06ace098e7p-22, z, 0x1.a019aa3b938dap-16), z, 0x1.6c16c17d16d56p-10), z,
            0x1.55555555530e1p-5), z, 0x1p-1);
    double odd = fma(fma(fma(fma(0x1.ac23d4a43e5b8p-26, z, 0x1.71dffbf945ccep-19), z, 0x1.a01a00cd45051p-13), z,
            0x1.111111113822dp-7), z, 0x1.55555555554bdp-3);
#endif
    return fma(odd, r, even);
}

#endif
