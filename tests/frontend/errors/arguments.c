#include <math.h>
void f(double *A) {
  A[0] = pow(A[1]);
//       ^^^^^^^^^ TRV015 'pow' takes 2 arguments, but 1 is given
}
