void f(int n, double *A) {
#pragma omp for
//      ^^^^^^^ TRV025 `omp for` applies to threads that callers of this function create: one thread does all of the work here
  for (int i = 0; i < n; i++)
    A[i] = 1;
}
