void f(double *A, int n) {
  if (n > 5) goto middle;
  top: A[n] = 1;
//^^^ TRV033 jumps in 'f' make a loop that can be entered at two places
  middle: A[n + 1] = 2;
  if (n-- > 0) goto top;
}
