void f(unsigned long *A) {
  A[0] = 99999999999999999999999;
//       ^^^^^^^^^^^^^^^^^^^^^^^ TRV020 the constant 99999999999999999999999 is too large for every integer type
}
