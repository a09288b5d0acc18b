/* Mean of the 3 x 3 elements around each inner element; the shape of a 9-point Seidel sweep, but out of place. */
#include "real.h"

void seidel9(int rows, int cols, const REAL A[restrict rows][PITCH(cols)], REAL B[restrict rows][PITCH(cols)])
{
    for (int j = 1; j < rows - 1; ++j)
        for (int i = 1; i < cols - 1; ++i)
            B[j][i] = (REAL)(1. / 9) * (A[j - 1][i - 1] + A[j - 1][i] + A[j - 1][i + 1]
                                        + A[j][i - 1] + A[j][i] + A[j][i + 1]
                                        + A[j + 1][i - 1] + A[j + 1][i] + A[j + 1][i + 1]);
}
