void f(double *A) {
  if (rv_any(A[1] > 0)) A[0] = 1;
//    ^^^^^^ TRV018 the function 'rv_any' is not declared
}
