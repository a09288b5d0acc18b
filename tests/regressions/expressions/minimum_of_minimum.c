/* neon: fmin makes a signalling NaN quiet, and the next one ignores it */
void NAME(int n, const double *restrict a, const float *restrict b, double *restrict o, float *restrict p, double *restrict q)
{
    for (int i = 0; i < n; i++) {
        o[i] = fmin(fmin(a[i], 2.0), 1.0);
        p[i] = fmaxf(fmaxf(b[i], b[i + 1]), b[i + 1]);
        q[i] = fmin(fmin(a[i], NAN), 1.0) + fmax(fmin(a[i], a[i]), 0.1);
    }
}
