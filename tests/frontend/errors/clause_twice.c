void f(int n, double *A) {
  double t;
#pragma omp simd safelen(4) safelen(8)
//                          ^^^^^^^^^^ TRV023 'safelen' is given twice
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
