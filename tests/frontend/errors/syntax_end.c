void f(double *A) {
  A[0] = 1;
//        ^ TRV004 the file ends in the middle of a declaration or statement
