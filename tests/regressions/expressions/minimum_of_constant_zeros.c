/* avx512 avx2 neon x86-64: fmin and fmax of zeros follow the machine's C library, not that of the machine that compiles */
void NAME(int n, const double *restrict a, double *restrict o, double *restrict p, float *restrict q)
{
    for (int i = 0; i < n; i++) {
        o[i] = fmin(-0.0, 0.0);
        p[i] = fmax(0.0, -0.0);
        q[i] = fminf(0.0f, -0.0f) + fmaxf(-0.0f, 0.0f) * fmin(0.0, -0.0);
    }
}
