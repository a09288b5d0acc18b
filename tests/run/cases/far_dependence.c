/* A dependence that is as long as the brush, and one that leads upwards: legal for some brushes only. */
// brushes: 4 8 2x4 1x4
// size n: 0..60
// length X: n + 8
void eight_apart(int n, double *restrict X)
{
    for (int i = 0; i < n; ++i)
        X[i + 8] = X[i] * 0.5 + 1;
}

void from_below(int rows, int cols, double A[restrict rows][cols])
{
    for (int j = 0; j < rows - 1; ++j)
        for (int i = 0; i < cols - 1; ++i)
            A[j][i] = A[j + 1][i] + A[j][i + 1];
}
