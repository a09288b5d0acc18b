/* Index arithmetic that all lanes of a brush have in common, where the brush lies in one block of the divisor. */
// brushes: 8 4 16 2x8 4x4 5
// size n: 0..70
// size m: 0..9
// length q: n
// length a: n
// length b: n
// length out: n
// length scale: n+9
// length image: m*n
// length small: m*n+n
void dequantize(int n, const signed char *restrict q, const float *restrict scale, float *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] = q[i] * scale[i / 32];
}

void from_eight(int n, const float *restrict a, const float *restrict scale, float *restrict out)
{
    for (int i = 8; i < n; i++)
        out[i] = a[i] * scale[i >> 3] + scale[(i & 24) >> 3];
}

void from_one(int n, const float *restrict a, const float *restrict scale, float *restrict out)
{
    for (int i = 1; i < n; i++)
        out[i] = a[i] - scale[i / 8];
}

void in_stripes(int n, const float *restrict a, float *restrict out)
{
    for (int i = 0; i < n; i++) {
        if (i / 16 % 2)
            out[i] = a[i] * 2;
        else
            out[i] = -a[i];
    }
}

void below_a_multiple(unsigned n, unsigned m, const float *restrict a, float *restrict out)
{
    for (unsigned i = 0; i < n; i++)
        if (i < m * 16)
            out[i] = a[i] / 3;
}

void negative(int n, const int *restrict a, int *restrict b)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + (i - 16) / 8;
}

void with_inner_loop(int n, const int *restrict a, int *restrict b)
{
    for (int i = 0; i < n; i++) {
        int sum = a[i];
        for (int k = i / 8; k < i / 8 + 3; k++)
            sum += k * (i & 8);
        b[i] = sum;
    }
}

void downward(int n, const int *restrict a, int *restrict b)
{
    for (int i = n - 1; i >= 0; i--)
        b[i] = a[i] + i / 16 + (i & ~7);
}

void every_second(int n, const int *restrict a, int *restrict b)
{
    for (int i = 0; i < n; i += 2)
        b[i] = a[i] + i / 16 + (i | 1) % 32;
}

void tiles(int m, int n, const float image[restrict m][n], const float small[restrict m + 1][n], float out[restrict n])
{
    for (int i = 0; i < n; i++)
        out[i] = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            out[i] += image[j][i] * small[j / 2][i / 8];
}

void both(int m, int n, const float small[restrict m + 1][n], float image[restrict m][n])
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            image[j][i] = small[j / 4][i / 8] + ((i / 8 + j / 4) % 2 ? 1.5f : -1.0f);
}
