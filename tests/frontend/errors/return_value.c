void f(double *A) {
  return A[0];
//       ^^^^ TRV016 this function returns nothing
}
