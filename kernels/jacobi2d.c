/* `steps` pairs of 5-point Jacobi sweeps, from A to B and back. */
#include "real.h"

void jacobi2d(int steps, int rows, int cols, REAL A[restrict rows][PITCH(cols)], REAL B[restrict rows][PITCH(cols)])
{
    for (int t = 0; t < steps; ++t) {
        for (int j = 1; j < rows - 1; ++j)
            for (int i = 1; i < cols - 1; ++i)
                B[j][i] = (REAL).2 * (A[j][i] + A[j][i - 1] + A[j][i + 1] + A[j + 1][i] + A[j - 1][i]);
        for (int j = 1; j < rows - 1; ++j)
            for (int i = 1; i < cols - 1; ++i)
                A[j][i] = (REAL).2 * (B[j][i] + B[j][i - 1] + B[j][i + 1] + B[j + 1][i] + B[j - 1][i]);
    }
}
