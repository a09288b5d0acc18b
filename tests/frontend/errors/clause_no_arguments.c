void f(int n, double *A) {
  double t;
#pragma omp simd simdlen
//               ^^^^^^^ TRV023 'simdlen' needs arguments in parentheses
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
