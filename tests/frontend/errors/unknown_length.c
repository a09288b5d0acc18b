void f(double (*A)[]) {
//     ^^^^^^^^^^^ TRV044 pointers to arrays of unknown length are not supported
  (*A)[0] = 1;
}
