void f(double *A, int n) {
  A[n % 2.0] = 1;
//  ^^^^^^^ TRV012 '%' is not defined for 'int' and 'double'
}
