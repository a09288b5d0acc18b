static double table[16];
void f(double *A) {
  A[0] = table[1];
//       ^^^^^ TRV037 'table' cannot be used: the variable is static, so another object file cannot access it
}
