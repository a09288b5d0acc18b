void f(int n, double A[n][n]) {
  A[1][2][3] = 0;
//^^^^^^^^^^ TRV012 a 'double' cannot be subscripted
}
