/* Mean of the 5 x 5 elements around each inner element; the shape of a 25-point Seidel sweep, but out of place. */
#include "real.h"

void seidel25(int rows, int cols, const REAL A[restrict rows][PITCH(cols)], REAL B[restrict rows][PITCH(cols)])
{
    for (int j = 2; j < rows - 2; ++j)
        for (int i = 2; i < cols - 2; ++i)
            B[j][i] = (REAL).04 * (A[j - 2][i - 2] + A[j - 2][i - 1] + A[j - 2][i] + A[j - 2][i + 1] + A[j - 2][i + 2]
                                   + A[j - 1][i - 2] + A[j - 1][i - 1] + A[j - 1][i] + A[j - 1][i + 1] + A[j - 1][i + 2]
                                   + A[j][i - 2] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j][i + 2]
                                   + A[j + 1][i - 2] + A[j + 1][i - 1] + A[j + 1][i] + A[j + 1][i + 1] + A[j + 1][i + 2]
                                   + A[j + 2][i - 2] + A[j + 2][i - 1] + A[j + 2][i] + A[j + 2][i + 1] + A[j + 2][i + 2]);
}
