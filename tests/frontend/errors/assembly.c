void f(double *A) {
  __asm__ volatile("nop" : : : "memory");
//^^^^^^^ TRV041 inline assembly is not supported
  A[0] = 1;
}
