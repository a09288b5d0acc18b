void f(double *A, double x) {
  A[0] = x[1];
//       ^^^^ TRV012 a 'double' cannot be subscripted
}
