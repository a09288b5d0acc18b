void f(double *A, int n) {
  double row[n];
//       ^^^ TRV034 the length of the local array 'row' is not a constant
  row[0] = 1;
  A[0] = row[0];
}
