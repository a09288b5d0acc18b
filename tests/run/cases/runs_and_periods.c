/* Subscripts that are the same for some iterations in a row or come again after some, in brushes that hold several runs. */
// brushes: 16 24 2x16 6x12 5
// size n: 0..60
// size m: 0..9
// length t: n+9
// length a: n
// length b: n
// length out: n
// length image: m*n+m+2*n+4
// length small: m*n
void runs(int n, const float *restrict a, const float *restrict t, float *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] * t[i / 4] + t[i >> 3];
}

void periods(int n, const double *restrict a, const double *restrict t, double *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] - t[i % 8] * t[i & 3];
}

void thirds(unsigned n, const float *restrict a, const float *restrict t, float *restrict out)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = a[i] * t[i / 3] + t[i % 3];
}

void shifted(int n, const float *restrict a, const float *restrict t, float *restrict out)
{
    for (int i = 1; i < n; i++)
        out[i] = a[i] * t[(i + 1) / 4] + t[(i & 5) ^ 1] - t[(i - 1) % 6];
}

void pairs_swapped(int n, const signed char *restrict a, const signed char *restrict t, signed char *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] + t[i ^ 1] - t[(i | 3) / 2];
}

void under_a_condition(int n, const float *restrict a, const float *restrict t, float *restrict out)
{
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            out[i] = t[i / 8];
}

void reaches(long n, const short *restrict a, const short *restrict t, short *restrict out)
{
    for (long i = 2; i < n; i += 2)
        out[i] = a[i] + t[i / 8] + t[(i + 3) % 16 / 2];
}

void enlarged(int n, int m, const float *restrict image, float *restrict small)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            small[j * n + i] = image[j / 2 * n + i / 2] + image[(j % 2) * n + i];
}

int sum(int n, const int *restrict a, const int *restrict t)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * t[i / 4 % 4];
    return s;
}
