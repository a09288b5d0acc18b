double table[16];
void f(double *A) {
  A[0] = table[1];
//       ^^^^^ TRV037 'table' cannot be used: global arrays are not supported unless they are const and initialised with constants
}
