void f(int n, double *A) {
  double t;
#pragma omp simd aligned(n: 64)
//                       ^ TRV023 'n' is not a pointer or an array
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
