/* 5-point Jacobi stencil: every inner element of B becomes the mean of the element of A and its four neighbours
 * (thesis, figure 11.6a). rows x cols is the size of both arrays. */
#include "real.h"

void jacobi5(int rows, int cols, const REAL A[restrict rows][PITCH(cols)], REAL B[restrict rows][PITCH(cols)])
{
    for (int j = 1; j < rows - 1; ++j)
        for (int i = 1; i < cols - 1; ++i)
            B[j][i] = (REAL).2 * (A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i]);
}
