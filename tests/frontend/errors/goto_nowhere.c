void f(double *A, int n) {
  if (n > 5) goto endd;
//           ^^^^ TRV022 the function has no label 'endd'
  A[n] = 1;
  end: A[1] = 1;
}
