void f(int n, double *A) {
#pragma omp paralel for
//      ^^^^^^^^^^^^^^^ TRV024 OpenMP 5.2 has no such directive: it is ignored, with what pragmas promise about the loops around and behind it
  for (int i = 0; i < n; i++)
    A[i] = 1;
}
