struct point { double x[2]; };
void f(double *A, int n) {
  struct point p = {{1, 2}};
  A[0] = p.x[n];
//       ^^^^^^ TRV034 'x' is an array in a local struct: its subscripts must be constants below 2
}
