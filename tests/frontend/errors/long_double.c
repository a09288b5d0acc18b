void f(long double *A) {
//     ^^^^ TRV032 long double is not supported
  A[0] = 1;
}
