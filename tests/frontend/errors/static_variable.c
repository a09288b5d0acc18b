void f(double *A) {
  static int calls = 0;
//           ^^^^^ TRV037 'calls' has static storage, which is supported for const scalars only
  A[0] = calls++;
}
