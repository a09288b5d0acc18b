/* Scatters that keep the order of iterations, and those within rows of their own iterations. */
// brushes: 8 16 3 4x8
// size n: 0..37
// size m: 1..9
// length x: n
// length to: 2 * n + 20
// length from: n
// length where: n
// length p: n
// values x: 0..15
// values where: 0..n
// values idx: 0..m-1
// length one: n
// length idx: n
// values one: 0..3
// may stay scalar
struct part { float v[4]; int id; };
void count(int n, int m, int h[restrict n][16], const int k[restrict n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            h[i][k[i][j] & 15]++;
}
void spread(int n, float *restrict to, const float *restrict from, const int *restrict where)
{
    for (int k = 0; k < n; k++)
        to[where[k]] = from[k];
}
void spread_some(int n, double *restrict to, const double *restrict from, const int *restrict where)
{
    for (int k = 0; k < n; k++)
        if (from[k] > 1)
            to[where[k]] = from[k];
}
void repeated(int n, int m, float *restrict to, const float *restrict from, const int *restrict where)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++)
            to[where[k] + i] = from[k] + i;
}
void twice(int n, float *restrict to, const float *restrict from, const int *restrict where)
{
    for (int k = 0; k < n; k++) {
        to[where[k]] = from[k];
        to[where[k] + 1] = 2;
    }
}
void same(int n, int m, int *restrict to, const int *restrict from, const int *restrict where)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++)
            to[where[i < n ? i : 0]] = from[k] * i;
}
void halves(int n, short *restrict to, const short *restrict from)
{
    for (int k = 0; k < n; k++)
        to[k / 2] = from[k];
}
void eighths(int n, int *restrict to, const int *restrict from)
{
    for (int k = n - 1; k >= 0; k--)
        to[k & 7] = from[k];
}
void parts(int n, struct part *restrict p, const int *restrict one)
{
    for (int i = 0; i < n; i++) {
        p[i].v[one[i]] += 1;
        p[i].id = i;
    }
}
void rows(int n, int m, float A[restrict n][m], const int *restrict idx)
{
    for (int i = 0; i < n; i++)
        A[i][idx[i]] += A[i][0];
}
void columns(int n, int m, float A[restrict n][m], const int *restrict x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[x[i] < n ? x[i] : 0][j] += j;
}
void alternating(int m, int n, int u[restrict 2][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int k = 0; k < m; k++)
            u[(k + 1) & 1][i] = 3 * u[k & 1][i] + k;
}
void last(int n, int m, struct part *restrict p, const float *restrict from)
{
    for (int i = 0; i < n; i++)
        p[0].v[1] = from[i];
}
