void f(double *A) {
  double row[4];
//       ^^^ TRV034 the local array 'row' is not supported
  A[0] = 1;
}
