void f(int n, double (*A)[n], double (*B)[n], long *d) {
  *d = B - A;
//     ^^^^^ TRV043 differences of pointers to rows of variable length are not supported
}
