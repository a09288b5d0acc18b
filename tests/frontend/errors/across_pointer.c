#include <rv.h>
void f(double *A) {
  A[0] = *rv_first(A + 1);
//                 ^^^^^ TRV012 'rv_first' needs a number, not a 'double *'
}
