void f(double *A, int n) {
  end: A[n] = 1;
  { end: A[1] = 1; }
//  ^^^ TRV022 the label 'end' occurs twice
}
