/* neon avx512 avx2 x86-64: a choice of which LLVM finds that it is always one of the two, in a choice by comparison */
void NAME(int n, const float *restrict a, float *restrict o)
{
    for (int i = 0; i < n; i++) {
        o[i] -= (float)((!((double)a[i] >= (1.0f))) ? (1.0f) : ((!(a[i] > a[i])) ? a[i] : (0.1)));
    }
}
