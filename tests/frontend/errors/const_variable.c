void f(double *A) {
  const int n = 3;
  n++;
//^ TRV014 'n' is const
  A[n] = 0;
}
