void f(double *A) {
  A[0] = ;
//       ^ TRV004 expected an expression before ';'
}
