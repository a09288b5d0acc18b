/* Calls of the mathematical library: exact ones and others. */
#include <math.h>
#include <stdlib.h>
// brushes: 8 4x8 3
void exact(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = sqrt(A[j][i]) + floor(A[j][i]) * ceil(A[j][i]) - trunc(A[j][i]) + fabs(A[j][i]) + rint(A[j][i])
                      + round(A[j][i]);
}

void exact_single(int cols, const float A[restrict cols], const float B[restrict cols], float C[restrict cols])
{
    for (int i = 0; i < cols; ++i)
        C[i] = fmaf(A[i], B[i], copysignf(1.5f, A[i])) + sqrtf(B[i]);
}

void extremes(int cols, const double A[restrict cols], const double B[restrict cols], double C[restrict cols],
              double D[restrict cols])
{
    for (int i = 0; i < cols; ++i) {
        C[i] = fmin(A[i], B[i]);
        D[i] = fmax(A[i], B[i]);
    }
}

void called(int cols, const double A[restrict cols], double B[restrict cols])
{
    for (int i = 0; i < cols; ++i)
        B[i] = exp(A[i]) + sin(A[i]) * pow(A[i], 3);
}

void absolute(int cols, const int A[restrict cols], int B[restrict cols])
{
    for (int i = 0; i < cols; ++i)
        B[i] = abs(A[i] / 2);
}
