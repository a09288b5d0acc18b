#include <stdio.h>
struct point { double x, y; };
void f(struct point *A) {
  printf("%f", A[0]);
//             ^^^^ TRV040 a 'struct point' is passed where no prototype has a parameter
}
