/* Mean of the 3 x 3 x 3 elements around each inner element. */
#include "real.h"

#define ROW(k, j) (A[k][j][i - 1] + A[k][j][i] + A[k][j][i + 1])
#define PLANE(k) (ROW(k, j - 1) + ROW(k, j) + ROW(k, j + 1))

void box27(int planes, int rows, int cols,
           const REAL A[restrict planes][rows][PITCH(cols)], REAL B[restrict planes][rows][PITCH(cols)])
{
    for (int k = 1; k < planes - 1; ++k)
        for (int j = 1; j < rows - 1; ++j)
            for (int i = 1; i < cols - 1; ++i)
                B[k][j][i] = (REAL)(1. / 27) * (PLANE(k - 1) + PLANE(k) + PLANE(k + 1));
}
