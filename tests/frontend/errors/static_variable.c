void f(double *A) {
  static int calls = 0;
//           ^^^^^ TRV037 'calls' keeps its value between calls, which is supported for constants only
  A[0] = calls++;
}
