/* What math.h says of a number. */
// brushes: 8 5 16
#include <math.h>
void kinds(int n, const double A[restrict n], const float B[restrict n], int C[restrict n], int D[restrict n])
{
    for (int i = 0; i < n; ++i) {
        C[i] = isinf(A[i]) * 8 + isnan(A[i]) * 4 + isfinite(A[i]) * 2 + (signbit(A[i]) != 0);
        if (isinf(B[i]) < 0 || signbit(B[i]))
            D[i] = isinf(B[i]);
        else if (!isfinite(B[i]))
            D[i] = 7 + isnan(B[i]);
    }
}
