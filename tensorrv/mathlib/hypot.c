/* hypot: the sum of squares, scaled so that they neither overflow nor vanish. */
#include "bits.h"

double hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    double large = a > b ? a : b, small = a > b ? b : a;
    double up = large > 0x1p500 ? 0x1p-600 : large < 0x1p-400 ? 0x1p600 : 1.0;
    double down = large > 0x1p500 ? 0x1p600 : large < 0x1p-400 ? 0x1p-600 : 1.0;
    double u = large * up, v = small * up;
    double h = sqrt(fma(v, v, u * u)) * down;
    h = (a == INFINITY) | (b == INFINITY) ? (double)INFINITY : h;
    return (x == x) & (y == y) ? h : (a == INFINITY) | (b == INFINITY) ? (double)INFINITY : x + y;
}

float hypotf(float x, float y)
{
    float a = fabsf(x), b = fabsf(y);
    float large = a > b ? a : b, small = a > b ? b : a;
    float up = large > 0x1p60f ? 0x1p-70f : large < 0x1p-50f ? 0x1p80f : 1.0f;
    float down = large > 0x1p60f ? 0x1p70f : large < 0x1p-50f ? 0x1p-80f : 1.0f;
    float u = large * up, v = small * up;
    float h = sqrtf(fmaf(v, v, u * u)) * down;
    h = (a == INFINITY) | (b == INFINITY) ? INFINITY : h;
    return (x == x) & (y == y) ? h : (a == INFINITY) | (b == INFINITY) ? INFINITY : x + y;
}
