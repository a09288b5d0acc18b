/* Correlation with a 5 x 5 filter F that is passed as an array. */
#include "real.h"

void conv5x5(int rows, int cols, const REAL F[restrict 5][5], const REAL A[restrict rows][PITCH(cols)],
             REAL B[restrict rows][PITCH(cols)])
{
    for (int y = 2; y < rows - 2; ++y)
        for (int x = 2; x < cols - 2; ++x) {
            REAL sum = 0;
            for (int dy = 0; dy < 5; ++dy)
                for (int dx = 0; dx < 5; ++dx)
                    sum += F[dy][dx] * A[y + dy - 2][x + dx - 2];
            B[y][x] = sum;
        }
}
