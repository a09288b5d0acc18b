/* Finite differences in the time domain in two dimensions: ex, ey and hz are the fields, source[t] drives the first row of ey.
 * There is at least one row. */
#include "real.h"

void fdtd2d(int steps, int rows, int cols, const REAL source[restrict steps], REAL ex[restrict rows][PITCH(cols)],
            REAL ey[restrict rows][PITCH(cols)], REAL hz[restrict rows][PITCH(cols)])
{
    for (int t = 0; t < steps; ++t) {
        for (int j = 0; j < cols; ++j)
            ey[0][j] = source[t];
        for (int i = 1; i < rows; ++i)
            for (int j = 0; j < cols; ++j)
                ey[i][j] = ey[i][j] - (REAL).5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < rows; ++i)
            for (int j = 1; j < cols; ++j)
                ex[i][j] = ex[i][j] - (REAL).5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < rows - 1; ++i)
            for (int j = 0; j < cols - 1; ++j)
                hz[i][j] = hz[i][j] - (REAL).7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}
