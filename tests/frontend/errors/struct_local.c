struct point { double x, y; };
void f(double *A) {
  struct point p;
//       ^^^^^ TRV030 structs are not supported
  A[0] = 1;
}
