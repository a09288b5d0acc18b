/* Flattened subscripts and pointers that move. */
// brushes: 4x8 3x5 8
// size rows: 0..12
// size cols: 0..20
// length A: rows*cols
// length B: rows*cols
void flat(int rows, int cols, const double *restrict A, double *restrict B)
{
    for (int j = 1; j < rows - 1; ++j)
        for (int i = 1; i < cols - 1; ++i)
            B[j * cols + i] = A[(j - 1) * cols + i] + A[j * cols + i - 1] + A[j * cols + i + 1] + A[(j + 1) * cols + i];
}

void flat_transpose(int rows, int cols, const float *restrict A, float *restrict B)
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[i * rows + j] = A[j * cols + i];
}

void rows_of_pointer(int rows, int cols, const double (*restrict M)[cols], double *restrict B)
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j * cols + i] = M[j][i] * 2;
}
// length M: rows*cols
