void f(double *A, double (*g)(double)) {
//                         ^ TRV036 pointers to functions are not supported
  A[0] = g(A[1]);
}
