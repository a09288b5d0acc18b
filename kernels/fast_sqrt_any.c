/* fast_sqrt that tests whether any lane needs the scaling, and passes over it where none does (thesis, figure 3.18). */
#include <math.h>
#include <string.h>
#include "rv.h"

static float refined_root(float x)
{
    unsigned bits;
    float r;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x5f375a86u - (bits >> 1);
    memcpy(&r, &bits, sizeof r);
    for (int k = 0; k < 4; ++k)
        r = r * (1.5f - 0.5f * x * r * r);
    return x * r;
}

void fast_sqrt_any(int n, const float a[restrict n], float root[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; ++i) {
        float x = a[i] < 0.0f ? NAN : a[i], scale = 1.0f;
        int tiny = x < 0x1p-80f, huge = x > 0x1p+80f;
        if (rv_any(tiny)) {
            x = tiny ? x * 0x1p+80f : x;
            scale = tiny ? 0x1p-40f : scale;
        }
        if (rv_any(huge)) {
            x = huge ? x * 0x1p-80f : x;
            scale = huge ? 0x1p+40f : scale;
        }
        x = refined_root(x) * scale;
        root[i] = a[i] == INFINITY ? INFINITY : x;
    }
}
