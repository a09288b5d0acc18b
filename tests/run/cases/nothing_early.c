/* Divisions and loads that must not happen when the loop does not run, or when a condition says so. */
// brushes: 8 4x8 5
// size n: 0..20
// size m: 0..20
// length A: n
// length B: n
// length factor: min(n, 1)
// length row: min(n*m, 1)
// length G: n*m
// length coefficients: m*min(n, 1)
void divided(int n, const int *restrict A, int *restrict B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[i] + 1000 / n + 77 % n;
}

void divided_inside(int n, int m, int *restrict G)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            G[j * m + i] = G[j * m + i] / (m + 1) + j / m + i % n;
}

void loaded(int n, const double *restrict factor, double *restrict A)
{
    for (int i = 0; i < n; ++i)
        A[i] = A[i] * factor[0];
}

void loaded_inside(int n, int m, const float *restrict row, float *restrict G)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            G[j * m + i] += *row;
}

void rows_of_coefficients(int n, int m, const double *restrict coefficients, double *restrict G)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            G[j * m + i] = coefficients[i] * j;
}

void unless_zero_outside(int n, int m, int *restrict B)
{
    int x = 5;
    if (m > 3)
        x = 100 / (m - 3);
    for (int i = 0; i < n; ++i)
        B[i] = B[i] + x;
}
