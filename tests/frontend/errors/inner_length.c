void f(int n, double A[n][]) {
//                   ^ TRV021 only the first dimension of an array may be without a length
  A[0][1] = n;
}
