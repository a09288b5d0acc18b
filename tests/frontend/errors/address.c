double f(const double *A, int n) {
  double x = A[0], y = A[1];
  const double *p[2] = {&x, &y};
//                      ^^ TRV035 the address of a local variable is stored in memory
  return *p[n & 1];
}
