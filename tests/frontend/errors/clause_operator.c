void f(int n, double *A) {
  double t;
#pragma omp simd reduction(max+: t)
//               ^^^^^^^^^^^^^^^^^^ TRV023 'max+' is not an operator of reductions
  for (int i = 0; i < n; i++) {
    t = A[i];
    A[i] = t * t;
  }
}
