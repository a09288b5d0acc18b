/* avx512 avx2 neon x86-64: InstCombine moves the conversion behind the choice and gives 0.0 for -0.0 */
void NAME(int n, const float *restrict a, double *restrict o, double *restrict p)
{
    for (int i = 0; i < n; i++) {
        double y = a[i];
        if (a[i] < 0) y = 0;
        o[i] = y;
        p[i] = 1 / (a[i] > 0.0 ? a[i] : 0.0) + copysign(1.0, a[i] < 0 ? 0 : (double)a[i]);
    }
}
