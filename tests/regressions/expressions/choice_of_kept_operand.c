/* neon avx512 avx2: products and sums that are one of their operands keep signalling NaNs, and zeros */
void NAME(int n, const double *restrict a, const double *restrict b, double *restrict o, double *restrict p, double *restrict q, double *restrict r)
{
    for (int i = 0; i < n; i++) {
        o[i] *= a[i] * (-1.0) >= __builtin_inf() ? a[i] * (-1.0) : __builtin_inf();
        p[i] = a[i] / -1.0 < 3.0 ? a[i] / -1.0 : 3.0;
        q[i] = b[i] * 1.0 > 2.0 ? b[i] : 2.0;
        r[i] = b[i] - 0.0 < 5.0 || a[i] / 1.0 < 5.0 ? b[i] : -0.0 - a[i];
    }
}
