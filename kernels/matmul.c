/* C += A * B for A of rows x inner and B of inner x cols elements. */
#include "real.h"

void matmul(int rows, int cols, int inner, const REAL A[restrict rows][PITCH(inner)],
            const REAL B[restrict inner][PITCH(cols)], REAL C[restrict rows][PITCH(cols)])
{
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            for (int k = 0; k < inner; ++k)
                C[i][j] += A[i][k] * B[k][j];
}
