#include <stdio.h>
void f(double *A) {
  printf("%f", A[0]);
//^^^^^^^^^^^^^^^^^^ TRV040 'printf' takes a variable number of arguments
}
