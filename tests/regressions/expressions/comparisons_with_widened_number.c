/* neon: b[i] >= 1.0 is compared as floats, and so joined with b[i] >= a[i] by fminnm; so are -b[i] <= -1.0 and two widened numbers */
void NAME(int n, const float *restrict a, const float *restrict b, double *restrict o, double *restrict p, double *restrict q)
{
    for (int i = 0; i < n; i++) {
        o[i] = b[i] >= a[i] || 1.0 <= b[i] ? a[i] : b[i];
        p[i] = b[i] >= a[i] || -b[i] <= -1.0f ? a[i] : b[i];
        q[i] = (double)b[i] >= (double)a[i] || 1.0 <= b[i] ? a[i] : b[i];
    }
}
