#pragma omp declare simd linear(A: n)
//                                 ^ TRV023 the step of 'linear' must be a constant or a uniform parameter
void f(int n, double *A) { A[0] = n; }
