double norm(const double *A, int n);
void f(double *A, int n) {
  A[0] = norm(A, n);
//       ^^^^^^^^^^ TRV038 'norm' has no body in this file and is not a function of libm
}
