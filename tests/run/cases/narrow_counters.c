/* Counters of narrow types, and bounds of other types than the counter. */
// brushes: 8 5 4x8
// size n: 0..40
// size m: 0..40
// length A: n + 1
// length B: n + 1
// length C: n*m
void byte_counter(unsigned char n, const double *restrict A, double *restrict B)
{
    for (unsigned char i = 0; i < n; ++i)
        B[i] = A[i] * i;
}

void short_counter(short n, const int *restrict A, int *restrict B)
{
    for (short i = 0; i < n; i++)
        B[i] = A[i + 1] + i;
}

void mixed_bound(unsigned long n, const float *restrict A, float *restrict B)
{
    for (int i = 0; i < n; i++)
        B[i] = A[i] - 1;
}

void wide_counter(int n, short m, int *restrict C)
{
    for (long j = 0; j < m; j++)
        for (unsigned long i = 0; i < n; i++)
            C[j * n + i] += (int)(i + j);
}

void unsigned_difference(unsigned n, const int *restrict A, int *restrict B)
{
    for (unsigned i = 0; i + 1 < n + 1; i++)
        B[n - 1 - i] = A[i];
}
