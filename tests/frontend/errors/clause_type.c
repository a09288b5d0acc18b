void f(int n, double *A) {
  double t;
#pragma omp simd linear(t: 2)
//                      ^ TRV023 't' cannot be linear
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
