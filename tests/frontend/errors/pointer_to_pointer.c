void f(double **A) {
//              ^ TRV036 pointers to pointers are not supported
  A[0][0] = 1;
}
