void f(const double *A) {
  A[0] = 1;
//^^^^ TRV014 this element is const
}
