/* Loops with a step that is only known at run time. */
// brushes: 8 3 4x8
// size n: -2..40
// size s: 0..7
// size step: 1..6
// size width: 1..5
// length a: 90
// length b: 90
// may stay scalar
void positive(int n, int step, float *restrict a, const float *restrict b)
{
    if (step > 0)
        for (int i = 0; i < n; i += step)
            a[i] += b[i];
}
void unknown(int n, int s, int step, double *restrict a, const double *restrict b)
{
    for (int i = s; i <= n; i = step + i)
        a[i] = b[i] * 2 + a[i + 1];
}
void wide(long n, long step, int *restrict a, const int *restrict b)
{
    for (long i = 1; i < n; i += step)
        a[i] = b[i - 1] + i;
}
void downwards(int n, int s, int step, short *restrict a, const short *restrict b)
{
    for (int i = n; i > s; i -= step)
        a[i] = b[i] - 1;
}
void blocks(int n, int width, float *restrict a, const float *restrict b)
{
    for (int i = 0; i < n; i += width)
        for (int k = i; k < i + width && k < n; k++)
            a[k] = b[k] + 1;
}
int sums(int n, int step, const int *restrict b)
{
    int total = 0;
    for (int i = 0; i < n; i += step)
        total += b[i];
    return total;
}
int after(int n, int s, int step, const int *restrict b)
{
    int i;
    for (i = s; i < n; i += step)
        if (b[i] == 12345)
            return -1;
    return i;
}
