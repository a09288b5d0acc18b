int setjmp(void *);
void f(double *A, int n) {
  A[0] = setjmp(A);
//       ^^^^^^^^^ TRV038 calls of 'setjmp' are not supported
}
