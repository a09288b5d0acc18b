void f(int n, double *A) {
  double t;
#pragma omp simd order(forward)
//               ^^^^^^^^^^^^^^ TRV023 'order' takes 'concurrent'
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
