/* Fused multiply-add is allowed. */
// plan: fp=contract
// brushes: 4x8 8 3x5
void fused(int rows, int cols, const double A[restrict rows][cols], const double B[restrict rows][cols],
           double C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            C[j][i] = A[j][i] * B[j][i] + C[j][i] * 0.5;
}

void product(int rows, int cols, int inner, const float A[restrict rows][inner], const float B[restrict inner][cols],
             float C[restrict rows][cols])
{
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            for (int k = 0; k < inner; ++k)
                C[i][j] += A[i][k] * B[k][j];
}
