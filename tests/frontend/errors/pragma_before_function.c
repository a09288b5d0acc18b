#pragma omp simd simdlen(8)
//      ^^^^^^^^^^^^^^^^^^^ TRV023 this pragma must be followed by a loop
void f(int n, const float *restrict a, float *restrict b)
{
    for (int i = 1; i < n; ++i)
        b[i] = a[i];
}
