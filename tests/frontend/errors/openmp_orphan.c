void f(int n, double *A) {
#pragma omp for
//      ^^^^^^^ TRV025 `omp for` belongs to threads that callers of this function make: here one thread does it all
  for (int i = 0; i < n; i++)
    A[i] = 1;
}
