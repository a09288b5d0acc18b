void f(int n, double A[*][n]) {
//                     ^ TRV017 [*] is allowed in the prototypes of functions only
  A[0][1] = n;
}
