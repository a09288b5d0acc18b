void f(int n, double A[n][n]) {
  A[1] = A[0];
//^^^^ TRV013 an array cannot be assigned to
}
