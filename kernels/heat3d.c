/* One explicit step of the heat equation in three dimensions, 7 points. */
#include "real.h"

void heat3d(int planes, int rows, int cols,
            const REAL A[restrict planes][rows][PITCH(cols)], REAL B[restrict planes][rows][PITCH(cols)])
{
    for (int k = 1; k < planes - 1; ++k)
        for (int j = 1; j < rows - 1; ++j)
            for (int i = 1; i < cols - 1; ++i)
                B[k][j][i] = (REAL).125 * (A[k + 1][j][i] - (REAL)2 * A[k][j][i] + A[k - 1][j][i])
                             + (REAL).125 * (A[k][j + 1][i] - (REAL)2 * A[k][j][i] + A[k][j - 1][i])
                             + (REAL).125 * (A[k][j][i + 1] - (REAL)2 * A[k][j][i] + A[k][j][i - 1])
                             + A[k][j][i];
}
