void f(double *A, int n) {
  if (n > 5) goto middle;
  top: A[n] = 1;
//^^^ TRV033 jumps in 'f' form a loop with two entries
  middle: A[n + 1] = 2;
  if (n-- > 0) goto top;
}
