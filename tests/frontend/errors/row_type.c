void f(int n, double A[n][n]) {
  double x = A[0];
//           ^^^^ TRV016 the initialiser of 'x' has type 'double', but the value is a 'double *'
  A[0][0] = x;
}
