#include <complex.h>
void f(double *A) {
  double complex z = 1;
//^^^^^^ TRV032 double _Complex is not supported
  A[0] = 1;
}
