double f(int n, int m, double *A) {
  if (n > 3) goto inside;
//           ^^^^ TRV022 the jump to 'inside' skips a declaration whose type has a variable length
  double (*B)[m] = (double (*)[m])A;
  inside: return B[0][1];
}
