/* Loops with several bounds: tiles, offsets, both directions, mixed types. */
// brushes: 8 4x8 3x5
// size n: 0..40
// size m: -2..39
// size s: 0..9
// length A: 90
// length B: 90
void tiles(int n, const float C[restrict n][n], float D[restrict n][n])
{
    for (int jj = 0; jj < n; jj += 6)
        for (int ii = 0; ii < n; ii += 12)
            for (int j = jj; j < jj + 6 && j < n; j++)
                for (int i = ii; i < ii + 12 && i < n; i++)
                    D[j][i] = C[i][j] + 1;
}
void ends(int n, int m, int s, double *restrict A, const double *restrict B)
{
    for (int i = s; i < n && i <= m && i < 30; i++)
        A[i] = B[i] + i;
}
void offsets(int n, int m, int s, double *restrict A, const double *restrict B)
{
    for (int i = 0; i < 12 && s + i < n && i < m; i++)
        A[s + i] = B[i] * 2;
}
void downwards(int n, int m, int s, double *restrict A, const double *restrict B)
{
    for (int i = n; i >= m && i > s; i--)
        A[i] = B[i] - i;
}
void of_unsigned(unsigned n, unsigned m, unsigned s, double *restrict A, const double *restrict B)
{
    for (unsigned i = s; i < (m & 31) && i <= (n & 63); i++)
        A[i] = B[i] + i;
}
void wide(long n, long m, int s, double *restrict A, const double *restrict B)
{
    for (long i = s; i < n && i < m; i += 2)
        A[i] = B[i] + i;
}
void mixed(int n, long m, int s, double *restrict A, const double *restrict B)
{
    for (int i = s; i < n && i < m; i++)
        A[i] = B[i] + i;
}
int live(int n, int m, int s, int *restrict A)
{
    int i, sum = 0;
    for (i = s; i < n && i < m; i++)
        sum += A[i];
    return sum + i;
}
