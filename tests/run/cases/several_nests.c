/* Several nests of different depth in one function, in a time loop. */
// brushes: 4x8 8 3x5 2x2x4
void several(int steps, int rows, int cols, double A[restrict rows][cols], double B[restrict rows][cols],
             double edge[restrict cols])
{
    for (int t = 0; t < steps; ++t) {
        for (int i = 0; i < cols; ++i)
            edge[i] = edge[i] * 0.5 + t;
        for (int j = 1; j < rows; ++j)
            for (int i = 0; i < cols; ++i)
                B[j][i] = A[j - 1][i] + edge[i];
        for (int j = 1; j < rows; ++j)
            for (int i = 1; i < cols; ++i)
                A[j][i] = B[j][i - 1] - B[j][i];
    }
}
