#include "rv.h"
void f(double *A) {
  A[0] = rv_reduce_xor(A[1]);
//                     ^^^^ TRV012 'rv_reduce_xor' needs an integer, not a 'double'
}
