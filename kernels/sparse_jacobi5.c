/* 5-point Jacobi stencil whose neighbours are two elements away. */
#include "real.h"

void sparse_jacobi5(int rows, int cols, const REAL A[restrict rows][PITCH(cols)], REAL B[restrict rows][PITCH(cols)])
{
    for (int j = 2; j < rows - 2; ++j)
        for (int i = 2; i < cols - 2; ++i)
            B[j][i] = (REAL).2 * (A[j - 2][i] + A[j][i - 2] + A[j][i] + A[j][i + 2] + A[j + 2][i]);
}
