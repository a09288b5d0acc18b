/* Binomial 3 x 3 blur of an 8-bit image, rounded to nearest. */
#include "real.h"

void blur(int rows, int cols, const unsigned char A[restrict rows][PITCH(cols)],
          unsigned char B[restrict rows][PITCH(cols)])
{
    for (int y = 1; y < rows - 1; ++y)
        for (int x = 1; x < cols - 1; ++x)
            B[y][x] = (A[y - 1][x - 1] + 2 * A[y - 1][x] + A[y - 1][x + 1]
                       + 2 * A[y][x - 1] + 4 * A[y][x] + 2 * A[y][x + 1]
                       + A[y + 1][x - 1] + 2 * A[y + 1][x] + A[y + 1][x + 1] + 8) >> 4;
}
