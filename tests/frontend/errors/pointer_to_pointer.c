void f(double **A) {
//              ^ TRV036 pointers to pointers are supported in functions that are inlined only
  A[0][0] = 1;
}
