/* neon: fminnm and fmaxnm order zeros and make NaNs of signalling ones; choices do neither */
void NAME(int n, const double *restrict a, const float *restrict b, double *restrict o, float *restrict p, double *restrict q, double *restrict r, double *restrict s)
{
    for (int i = 0; i < n; i++) {
        o[i] = -a[i] < 0 ? -a[i] : 0;
        p[i] = b[i] < 0 ? b[i] : 0;
        q[i] = a[i] > -0.0 ? a[i] : -0.0;
        r[i] = !(a[i] > 255.0) ? 255.0 : a[i];
        s[i] = copysign(a[i], b[i]) < 0 ? copysign(a[i], b[i]) : 0;
    }
}
