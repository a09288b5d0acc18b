/* neon: of a signalling NaN and a number fminnm makes a NaN */
void NAME(int n, const double *restrict a, const double *restrict b, const double *restrict c, int *restrict o, int *restrict p, int *restrict q)
{
    for (int i = 0; i < n; i++) {
        o[i] = (a[i] < c[i]) | (b[i] < c[i]);
        p[i] = a[i] <= c[i] || c[i] >= b[i];
        q[i] = (a[i] > 1) | (b[i] > 1) | (c[i] > 1);
    }
}
