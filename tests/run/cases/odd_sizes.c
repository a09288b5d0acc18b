/* Strided and shifted accesses of the same array, gaps between them, and rows that several subscripts reach. */
// brushes: 4x8 3x5 8 2x2x4 5x3
void gaps(int rows, int cols, const double A[restrict rows][cols + 9], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[j][i] + A[j][i + 3] - A[j][i + 9];
}

void red_black(int rows, int cols, const float A[restrict rows][2 * cols + 2], float B[restrict rows][2 * cols + 2])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            B[j][2 * i] = A[j][2 * i + 1] + A[j][2 * i];
            B[j][2 * i + 1] = A[j][2 * i + 2] - A[j][2 * i];
        }
}

void coarsen(int rows, int cols, const double A[restrict 2 * rows][2 * cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = 0.25 * (A[2 * j][2 * i] + A[2 * j][2 * i + 1] + A[2 * j + 1][2 * i] + A[2 * j + 1][2 * i + 1]);
}

void refine(int rows, int cols, const float A[restrict rows][cols], float B[restrict 2 * rows][2 * cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            B[2 * j][2 * i] = A[j][i];
            B[2 * j][2 * i + 1] = A[j][i] * 2;
            B[2 * j + 1][2 * i] = A[j][i] * 3;
            B[2 * j + 1][2 * i + 1] = A[j][i] * 4;
        }
}

void column_to_row(int rows, int cols, const int A[restrict rows][cols], int B[restrict cols][rows], int C[restrict rows])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[cols - 1 - i][j] = A[j][i] + C[j];
}

void three_in_a_row(int rows, int cols, const unsigned char A[restrict rows][3 * cols], unsigned char B[restrict 3 * cols][rows])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[3 * i + 1][j] = A[j][3 * i + 2] ^ A[j][3 * i];
}
