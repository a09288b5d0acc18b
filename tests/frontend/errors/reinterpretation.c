void f(double *A) {
  long *bits = (long *)A;
//             ^^^^^^^^^ TRV043 a cast from 'double *' to 'long *' reinterprets memory
  bits[0] = 1;
}
