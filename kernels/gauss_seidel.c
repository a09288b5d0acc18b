/* 5-point sweep in place: each element needs the new values above it and to its left, so a brush is refused. */
#include "real.h"

void gauss_seidel(int rows, int cols, REAL A[restrict rows][PITCH(cols)])
{
    for (int j = 1; j < rows - 1; ++j)
        for (int i = 1; i < cols - 1; ++i)
            A[j][i] = (REAL).2 * (A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i]);
}
