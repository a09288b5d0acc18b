void f(double *A) {
  A[0] = ((double[]){1, 2})[0];
//        ^^^^^^^^^^^^^^^^ TRV044 this expression is outside the supported C subset
}
