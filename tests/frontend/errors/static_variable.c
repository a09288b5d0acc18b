void f(double *A) {
  static int calls = 0;
//           ^^^^^ TRV037 'calls' has static storage, which is supported for constants only
  A[0] = calls++;
}
