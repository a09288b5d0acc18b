void f(double *A) {
  short double x = 1;
//^^^^^ TRV021 'short double' is not a type
  A[0] = x;
}
