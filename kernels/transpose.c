/* Transposition of a rows x cols matrix (thesis, figure 11.3). */
#include "real.h"

void transpose(int rows, int cols, const REAL A[restrict rows][PITCH(cols)], REAL B[restrict cols][PITCH(rows)])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[i][j] = A[j][i];
}
