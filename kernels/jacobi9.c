/* 9-point Jacobi stencil: the mean of an element and the two next ones in each of the four directions. */
#include "real.h"

void jacobi9(int rows, int cols, const REAL A[restrict rows][PITCH(cols)], REAL B[restrict rows][PITCH(cols)])
{
    for (int j = 2; j < rows - 2; ++j)
        for (int i = 2; i < cols - 2; ++i)
            B[j][i] = (REAL)(1. / 9) * (A[j - 2][i] + A[j - 1][i]
                                        + A[j][i - 2] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j][i + 2]
                                        + A[j + 1][i] + A[j + 2][i]);
}
