#include "rv.h"
void f(double *A) {
  A[0] = rv_shuffle(A[1]);
//       ^^^^^^^^^^^^^^^^ TRV015 'rv_shuffle' takes 2 arguments, but 1 is given
}
