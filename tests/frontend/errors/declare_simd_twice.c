#pragma omp declare simd uniform(n) linear(n)
//                                         ^ TRV023 'n' is listed twice
void f(int n, double *A) { A[0] = n; }
