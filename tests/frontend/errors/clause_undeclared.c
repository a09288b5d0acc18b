void f(int n, double *A) {
  double t;
#pragma omp simd private(t, nosuch)
//                          ^^^^^^ TRV023 'nosuch' is not declared
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
