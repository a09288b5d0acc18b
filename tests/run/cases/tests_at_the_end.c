// Loops that test at their end, which run at least once whatever their bound is.
// size n: -3..40
// size m: -2..20
// length A: 2000
// length B: 2000
// length last: 1
// brushes: 8 3x5 2x8

void once_at_least(int n, const double *restrict A, double *restrict B)
{
    int i = 0;
    do {
        B[i] = A[i] + 1;
    } while (++i < n);
}

void behind_a_guard(int n, int m, const double *restrict A, double *restrict B)
{
    int j = 0, i;
    if (n <= 0 || m <= 0)
        return;
    do {
        i = 0;
        do {
            B[40 * j + i] = A[40 * j + i] * 2;
            ++i;
        } while (i != m);
    } while (++j < n);
}

void down(int n, const double *restrict A, double *restrict B, double *restrict last)
{
    int i = 39;
    double x;
    do {
        x = A[i] * 3;
        B[i] = x;
    } while (--i >= 40 - n);
    last[0] = x + i;
}
