/* avx512 avx2 neon x86-64: the first of a few maxima or minima, with a constant, when LLVM unrolls the loop */
void NAME(int n, const double *restrict a, const float *restrict b, double *restrict o, double *restrict p, double *restrict q)
{
    for (int i = 0; i < n; i++) {
        double m = 0, l = -0.0, c = 0;
        for (int k = 0; k < 3; k++)
            m = a[i + k] < m ? a[i + k] : m;
        for (int k = 0; k < 2; k++)
            if (a[i + k] > l) l = a[i + k];
        for (int k = 0; k < 4; k++)
            c = b[i + k] < c ? 0 : b[i + k];
        o[i] = m;
        p[i] = l;
        q[i] = c;
    }
}
