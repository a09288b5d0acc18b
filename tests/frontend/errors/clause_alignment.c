void f(int n, double *A) {
  double t;
#pragma omp simd aligned(A: 24)
//                          ^^ TRV023 an alignment is a power of two
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
