/* avx512 avx2 x86-64: fmin of a number that was float, which becomes such choices */
void NAME(int n, const float *restrict a, double *restrict o, double *restrict p)
{
    for (int i = 0; i < n; i++) {
        o[i] = fmin((double)(a[i] < a[i]), (double)a[i]);
        p[i] = fmax(0.0, (double)a[i]);
    }
}
