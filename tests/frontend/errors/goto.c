void f(double *A, int n) {
  goto end;
//^^^^ TRV033 goto and labels are not supported
  A[0] = 1;
  end: A[1] = 1;
}
