/* Conway's Game of Life on the inner cells of a board; a cell is 1 or 0. */
void life(int rows, int cols, const unsigned char A[restrict rows][cols], unsigned char B[restrict rows][cols])
{
    for (int j = 1; j < rows - 1; ++j)
        for (int i = 1; i < cols - 1; ++i) {
            int alive = A[j - 1][i - 1] + A[j - 1][i] + A[j - 1][i + 1] + A[j][i - 1] + A[j][i + 1]
                        + A[j + 1][i - 1] + A[j + 1][i] + A[j + 1][i + 1];
            if (alive == 3)
                B[j][i] = 1;
            else if (alive == 2)
                B[j][i] = A[j][i];
            else
                B[j][i] = 0;
        }
}
