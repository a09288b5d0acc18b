void f(double *A) {
  A[0] = sqrt(A[1]);
//       ^^^^ TRV018 the function 'sqrt' is not declared
}
