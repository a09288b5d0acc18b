/* Without restrict, but the user says that nothing overlaps. */
// plan: assume_no_alias=yes
// brushes: 4x8 8 3x5
void sweep(int rows, int cols, double A[rows][cols], double B[rows][cols], double *factor)
{
    for (int j = 0; j < rows - 1; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[j + 1][i] * *factor;
}

void product(int rows, int cols, int inner, double A[rows][inner], double B[inner][cols], double C[rows][cols])
{
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            for (int k = 0; k < inner; ++k)
                C[i][j] += A[i][k] * B[k][j];
}
// length factor: 1
