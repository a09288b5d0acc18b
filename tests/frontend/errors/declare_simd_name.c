#pragma omp declare simd uniform(n, x)
//                                  ^ TRV023 'x' is not declared
void f(int n, double *A) { A[0] = n; }
