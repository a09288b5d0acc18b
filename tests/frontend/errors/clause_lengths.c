void f(int n, const float *restrict a, float *restrict b)
{
#pragma omp simd safelen(8) simdlen(16)
//                          ^^^^^^^^^^^ TRV023 'simdlen' exceeds 'safelen'
    for (int i = 1; i < n; ++i)
        b[i] = a[i];
}
