void f(double *A, double *B, long *n) {
  *n = B - A;
//     ^^^^^ TRV043 differences of pointers are not supported
}
