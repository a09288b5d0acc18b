void f(int n, double *A) {
  double t;
#pragma omp simd simdlem(8)
//               ^^^^^^^ TRV023 unknown clause 'simdlem'
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
