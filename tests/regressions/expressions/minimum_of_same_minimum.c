/* avx512 avx2 neon x86-64: a minimum of a minimum with the same number, which differ in what NaNs give */
void NAME(int n, const double *restrict a, double *restrict o, double *restrict p, float *restrict q)
{
    for (int i = 0; i < n; i++) {
        double x = a[i] >= 0.5 ? 0.5 : a[i];
        o[i] = x < 0.5 ? x : 0.5;
        double y = a[i] + 1 > 2.0 ? a[i] + 1 : 2.0;
        p[i] = y <= 2.0 ? 2.0 : y;
        double z = a[i] - 1 < 0.25 ? 0.25 : a[i] - 1;
        q[i] = (float)(z > 0.25 ? z : 0.25);
    }
}
