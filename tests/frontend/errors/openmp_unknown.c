void f(int n, double *A) {
#pragma omp paralel for
//      ^^^^^^^^^^^^^^^ TRV024 OpenMP 5.2 has no such directive: it is ignored, and the loops around and after it are not taken to have independent iterations
  for (int i = 0; i < n; i++)
    A[i] = 1;
}
