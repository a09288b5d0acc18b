/* Subscripts that mix the counters. */
// brushes: 4x8 3x5 8
void anti_diagonals(int rows, int cols, const double A[restrict rows + cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[j + i];
}

void toeplitz(int rows, int cols, const float A[restrict rows + cols], float B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[rows - 1 - j + i] * 2;
}

void strided_both(int rows, int cols, const double A[restrict 2 * rows][3 * cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[2 * j + 1][3 * i + 1] + A[2 * j][3 * i];
}
