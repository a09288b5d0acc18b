/* Square roots from an estimate of the reciprocal root that Newton's iteration refines (thesis, figure 3.17). Numbers whose
 * estimate would leave the range of normal floats are scaled by an even power of two before, and the root after that. */
#include <math.h>
#include <string.h>

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

void fast_sqrt(int n, const float a[restrict n], float root[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; ++i) {
        float x = a[i] < 0.0f ? NAN : a[i], scale = 1.0f;
        if (x < 0x1p-80f) {
            x = x * 0x1p+80f;
            scale = 0x1p-40f;
        }
        if (x > 0x1p+80f) {
            x = x * 0x1p-80f;
            scale = 0x1p+40f;
        }
        x = refined_root(x) * scale;
        root[i] = a[i] == INFINITY ? INFINITY : x;
    }
}
