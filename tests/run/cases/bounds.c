/* Bounds that are expressions, counters of other types, steps that are no divisors. */
// brushes: 8 4x8 3x5
// size n: 0..40
// length X: 2*n + 8
// length Y: 2*n + 8
void expressions(int n, const double *restrict X, double *restrict Y)
{
    for (int i = n / 3; i < 2 * n - 1; ++i)
        Y[i] = X[i] + 1;
}

void inclusive(int n, const float *restrict X, float *restrict Y)
{
    for (int i = 2; i <= n + 4; i += 1)
        Y[i] = X[i - 1] - X[i + 1];
}

void size_counter(unsigned long n, const double *restrict X, double *restrict Y)
{
    for (unsigned long i = 0; i < n; ++i)
        Y[i] = X[i + 1] * X[i];
}

void unsigned_counter(unsigned n, const int *restrict X, int *restrict Y)
{
    for (unsigned i = 1; i < n; ++i)
        Y[i] = X[i] - X[i - 1];
}

void not_equal(int n, const int *restrict X, int *restrict Y)
{
    for (int i = 0; i != n; ++i)
        Y[i] = X[i] ^ i;
}

void long_step(long n, const short *restrict X, short *restrict Y)
{
    for (long i = 1; i < n; i += 4)
        Y[i] = X[i] + X[i + 1];
}
