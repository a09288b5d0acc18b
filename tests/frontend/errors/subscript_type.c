void f(double *A, double x) {
  A[x] = 1;
//  ^ TRV012 a subscript must be an integer, not a 'double'
}
