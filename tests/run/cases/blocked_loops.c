/* Loops that meet blocks of a layout in every way: counting down, from a run-time start, by steps, askew, through pointers. */
// brushes: 4x8 2x8 3x6 4x4
// size n: 0..11
// size m: 0..21
// size s: 0..4
// length B: n * m
void down(int n, int m, const double A[restrict n][m], double B[restrict n][m])
{
    for (int j = n - 1; j >= 0; --j)
        for (int i = m - 1; i > 0; --i)
            B[j][i] = A[j][i - 1] + 2 * A[n - 1 - j][i];
}
void start(int n, int m, int s, const float A[restrict n][m], float B[restrict n][m])
{
    if (s >= 0 && s < n && s < m)
    for (int j = s; j < n; ++j)
        for (int i = s; i < m; ++i)
            B[j][i] = A[j][i] * A[j][i - s] + A[j - s][i];
}
void two(int n, int m, const double A[restrict 2 * n + 1][2 * m + 1], double B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            B[j][i] = A[2 * j][2 * i] + A[2 * j + 1][2 * i] + A[2 * j][2 * i + 1] + A[2 * j + 1][2 * i + 1];
}
void skew(int n, int m, const double A[restrict n][n + m], double B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            B[j][i] = A[j][i + j];
}
void gather(int n, int m, const int idx[restrict n][m], const double A[restrict n][m], double B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            B[j][i] = A[j][(idx[j][i] % m + m) % m];
}
void inplace(int n, int m, double A[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            if (A[j][i] > 0)
                A[j][i] = A[j][i] * 3 + 1;
}
void step3(int n, int m, const short A[restrict n][m], short B[restrict n][m])
{
    for (int j = 1; j < n; j += 3)
        for (int i = 2; i < m; i += 2)
            B[j][i] = A[j][i] - A[j][i - 1];
}
void walk(int n, int m, const double A[restrict n][m], double *restrict B)
{
    for (int j = 0; j < n; ++j) {
        const double *p = A[j];
        for (int i = 0; i < m; ++i)
            B[j * m + i] = *p++;
    }
}
