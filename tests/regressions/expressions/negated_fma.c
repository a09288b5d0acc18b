/* neon: -fma(x, y, z) is not -x * y - z where the sum is zero */
void NAME(int n, const double *restrict a, const double *restrict b, const float *restrict c, double *restrict o, float *restrict p, double *restrict q)
{
    for (int i = 0; i < n; i++) {
        o[i] = -fma(a[i], b[i], a[i]);
        p[i] = -fmaf(c[i], c[i], -c[i]);
        q[i] = -1 * fma(a[i], b[i], -b[i]);
    }
}
