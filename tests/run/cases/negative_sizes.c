/* Sizes below zero, loops that begin below zero, and steps that overshoot. */
// brushes: 4x8 8 3x5
// size n: -4..24
// size m: -3..12
// length A: max(n, 0)*13 + 16
// length B: max(n, 0)*13 + 16
void from_minus_three(int n, const double *restrict A, double *restrict B)
{
    for (int i = -3; i < n; ++i)
        B[i + 3] = A[i + 4] - i;
}

void two_loops(int n, int m, const float *restrict A, float *restrict B)
{
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < n; ++i)
            B[j * n + i] = A[j * n + i] + 1;
}

void shifted(long n, long m, const int *restrict A, int *restrict B)
{
    for (long i = m; i < n + m; i += 2)
        B[i - m] = A[i - m + 1] * 3;
}

void around_zero(int n, const short *restrict A, short *restrict B)
{
    for (int i = -n; i <= 0; ++i)
        B[n + i] = A[-i];
}

int after(int n, int m)
{
    int i, s = 0;
    for (i = m; i < n; i += 3)
        s += i * i;
    return s * 100 + i;
}
