/* Stencils, waves, relaxation in place, shortest paths. */
#define G restrict n][n]

void jacobi_1d(int n, int steps, double A[restrict n], double B[restrict n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (int i = 1; i < n - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}

void jacobi_2d(int n, int steps, double A[G, double B[G)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
    }
}

void waves(int n, int steps, double ex[G, double ey[G, double hz[G, const double f[restrict steps])
{
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < n; j++)
            ey[0][j] = f[t];
        for (int i = 1; i < n; i++)
            for (int j = 0; j < n; j++)
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < n - 1; j++)
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

void heat(int n, const double A[restrict n][n][n], double B[restrict n][n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                             + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                             + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
}

void relaxed_in_place(int n, int steps, double A[G)
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

void shortest_paths(int n, int path[G)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

void alternating(int n, double u[G, double v[G, double p[G, double q[G)
{
    for (int i = 1; i < n - 1; i++) {
        p[i][0] = 0;
        q[i][0] = 1;
        for (int j = 1; j < n - 1; j++) {
            p[i][j] = -0.3 / (0.2 * p[i][j - 1] + 1.7);
            q[i][j] = (0.1 * u[j][i - 1] + 0.8 * u[j][i] + 0.1 * u[j][i + 1] - 0.2 * q[i][j - 1]) / (0.2 * p[i][j - 1] + 1.7);
        }
        for (int j = n - 2; j >= 1; j--)
            v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
}

void clamped(int n, int m, const float A[restrict n][m], float B[restrict n][m])
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int up = j > 0 ? j - 1 : 0, down = j < n - 1 ? j + 1 : n - 1;
            int left = i > 0 ? i - 1 : 0, right = i < m - 1 ? i + 1 : m - 1;
            B[j][i] = .2f * (A[up][i] + A[j][left] + A[j][i] + A[j][right] + A[down][i]);
        }
}

void sparse_rows(int n, int nnz, const int start[restrict n + 1], const int column[restrict nnz], const double value[restrict nnz],
                 const double x[restrict n], double y[restrict n])
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

void lag_4(int n, float b[restrict n], const float a[restrict n])
{
    for (int i = 4; i < n; i++)
        b[i] = b[i - 4] + a[i];
}
