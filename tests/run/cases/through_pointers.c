/* The same with run-time checks: a scalar behind a pointer. */
// brushes: 4x8 8 3x5
// length factor: 1
void sweep(int rows, int cols, double A[rows][cols], double B[rows][cols], double *factor)
{
    for (int j = 0; j < rows - 1; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[j + 1][i] * *factor;
}

void product(int rows, int cols, int inner, float A[rows][inner], float B[inner][cols], float C[rows][cols])
{
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            for (int k = 0; k < inner; ++k)
                C[i][j] += A[i][k] * B[k][j];
}
