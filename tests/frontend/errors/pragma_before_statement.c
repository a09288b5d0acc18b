void f(int n, const float *restrict a, float *restrict b)
{
#pragma omp simd
//      ^^^^^^^^ TRV023 this pragma must be followed by a loop
    b[0] = a[0];
    for (int i = 1; i < n; ++i)
        b[i] = a[i];
}
