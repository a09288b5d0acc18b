void f(int n, double *A) {
  double t;
_Pragma("omp simd linear(n : 2")
//                ^^^^^^ TRV023 the parenthesis of 'linear' is not closed
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
