void f(double A[4][0]) {
//                 ^ TRV017 the extent of an array must be positive
  A[0][0] = 1;
}
