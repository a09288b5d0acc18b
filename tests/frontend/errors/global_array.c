static double table[16];
void f(double *A) {
  A[0] = table[1];
//       ^^^^^ TRV037 'table' cannot be used: the variable is static, so that an object of its own cannot reach it
}
