/* Flat arrays of three dimensions: pitches that are products and sums of sizes, and those that have nothing to do with each other. */
// brushes: 4x8 8 2x3x4
// size n: 0..9
// size m: 0..5
// size ld: 0..14
// size ps: 0..70
// length A: 2600
// length B: 2600
// length C: 1300
// length D: 1300
void shifted(int n, int ld, double *restrict A)
{
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                A[((k + 1) * (n + 2) + j + 1) * ld + i + 1] = A[((k + 1) * (n + 2) + j) * ld + i + 2] + 1;
}
void planes(int n, int ld, float *restrict A, const float *restrict B)
{
    int plane = ld * (n + 2);
    for (int k = 1; k <= n; k++)
        for (int j = 1; j <= n; j++)
            for (int i = 1; i <= n; i++)
                A[k * plane + j * ld + i] += B[(k - 1) * plane + j * ld + i - 1] + B[(k + 1) * plane + (j - 1) * ld + i + 1];
}
void apart(int n, int ld, int ps, double *restrict A, const double *restrict B)
{
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                A[k * ps + j * ld + i] = 2 * A[k * ps + j * ld + i] + B[k * ps + j * ld + n - 1 - i];
}
#define AT(i, j, k) ((i) + (ld + 2) * ((j) + (m + 2) * (k)))
void ordered(int ld, int m, int n, float *restrict C, const float *restrict D)
{
    for (int k = 1; k <= n; k++)
        for (int j = 1; j <= m; j++)
            for (int i = 1; i <= ld; i++)
                C[AT(i, j, k)] += D[AT(i - 1, j, k)] + C[AT(i, j, k)] * D[AT(i, j + 1, k - 1)];
}
void in_turn(int n, int m, int ld, double *restrict A)
{
    for (int t = 0; t < m; t++)
        for (int j = 1; j <= n; j++)
            for (int i = 1; i <= n; i++)
                A[((t + 1) % 2) * ld * (n + 2) + j * ld + i] = A[(t % 2) * ld * (n + 2) + (j - 1) * ld + i + 1] + j;
}
