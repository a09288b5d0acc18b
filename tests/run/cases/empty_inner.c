/* A product whose inner loop may not run: then C is not touched, and not even there. */
// brushes: 4x8 8 3x5
// size inner: 0..3
// length C: rows*cols*min(inner, 1)
void product(int rows, int cols, int inner, const double A[restrict rows][inner], const double B[restrict inner][cols],
             double *restrict C)
{
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            for (int k = 0; k < inner; ++k)
                C[i * cols + j] += A[i][k] * B[k][j];
}
