void f(int n, double *A) {
  double t;
#pragma omp simd collapse(2)
//      ^^^^^^^^^^^^^^^^^^^^ TRV023 'collapse' speaks of loops directly inside each other, and here is one too few
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
