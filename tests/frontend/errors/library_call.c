#include <math.h>
void f(int n, double *A, int *E) {
  for (int i = 0; i < n; i++) A[i] = frexp(A[i], &E[i]);
//                                   ^^^^^^^^^^^^^^^^^^ TRV038 'frexp' of the C library is not supported
}
