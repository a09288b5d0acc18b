void f(double *A) {
  A[0] = 1; /* the rest
//          ^ TRV004 this comment has no end
}
