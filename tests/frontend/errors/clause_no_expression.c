void f(int n, double *A) {
  double t;
#pragma omp simd safelen(4 +)
//                       ^^^ TRV023 '4 +' is not an expression
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
