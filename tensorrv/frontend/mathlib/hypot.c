/* hypot: the sum of squares, scaled so that they neither overflow nor vanish. */
#include "bits.h"

#define TOO_LARGE FORMAT(0x1p500, 0x1p60f)
#define TOO_SMALL FORMAT(0x1p-400, 0x1p-50f)

real hypot(real x, real y)
{
    real a = fabs(x), b = fabs(y);
    real large = a > b ? a : b, small = a > b ? b : a;
    real up = large > TOO_LARGE ? FORMAT(0x1p-600, 0x1p-70f) : large < TOO_SMALL ? FORMAT(0x1p600, 0x1p80f) : 1;
    real down = large > TOO_LARGE ? FORMAT(0x1p600, 0x1p70f) : large < TOO_SMALL ? FORMAT(0x1p-600, 0x1p-80f) : 1;
    real u = large * up, v = small * up;
    real h = sqrt(fma(v, v, u * u)) * down;
    h = (a == INFINITY) | (b == INFINITY) ? (real)INFINITY : h;
    return (x == x) & (y == y) ? h : (a == INFINITY) | (b == INFINITY) ? (real)INFINITY : x + y;
}
