void f(int n, double *A) {
  double t;
#pragma omp simd simdlen(n)
//                       ^ TRV023 'simdlen' needs a positive integer constant
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
