/* avx512 avx2 neon x86-64: a number that only LLVM finds to be zero, in a choice by a comparison with zero */
void NAME(int n, const float *restrict a, const float *restrict b, float *restrict o, float *restrict p)
{
    for (int i = 0; i < n; i++) {
        o[i] = a[i];
        p[i] *= (float)((float)1e-310 > b[i] ? (double)(a[i] < a[i]) : b[i]);
    }
}
