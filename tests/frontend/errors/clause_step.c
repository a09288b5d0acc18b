void f(int n, double *A) {
  double t;
#pragma omp simd linear(n: 0.5)
//                         ^^^ TRV023 the step of 'linear' must be an integer
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
