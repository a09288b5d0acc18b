void f(int n, double *A) {
  double t;
#pragma omp simd collapse(2)
//      ^^^^^^^^^^^^^^^^^^^^ TRV023 'collapse' needs perfectly nested loops, and there is one too few here
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
