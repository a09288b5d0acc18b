void f(double *A) {
  double x = 1;
  double *p = &x;
//            ^^ TRV035 the address of 'x' is taken, which is not supported for local variables
  A[0] = *p;
}
