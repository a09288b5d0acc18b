#include "header.h"

/* A pseudorandom number of 46 bits in doubles: every statement depends on the one before, and none may be contracted. */
double randlc(double *x, double a)
{
    const double r23 = 0x1p-23, r46 = 0x1p-46, t23 = 0x1p23, t46 = 0x1p46;
    double t1 = r23 * a, a1 = (int)t1, a2 = a - t23 * a1;
    t1 = r23 * (*x);
    double x1 = (int)t1, x2 = (*x) - t23 * x1;
    t1 = a1 * x2 + a2 * x1;
    double t2 = (int)(r23 * t1), z = t1 - t23 * t2, t3 = t23 * z + a2 * x2, t4 = (int)(r46 * t3);
    *x = t3 - t46 * t4;
    return r46 * (*x);
}
