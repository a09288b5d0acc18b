/* avx512 avx2 neon x86-64: a choice of a zero by a comparison with the other one is no minimum or maximum */
void NAME(int n, const double *restrict a, double *restrict o, double *restrict p, double *restrict q)
{
    for (int i = 0; i < n; i++) {
        o[i] = a[i] < -0.0 ? 0.0 : a[i];
        p[i] = a[i] > 0.0 ? -0.0 : a[i];
        q[i] = !(a[i] >= -0.0) ? a[i] : 0.0;
    }
}
