void f(const double *A) {
  double *p = A;
//            ^ TRV014 the initialiser of 'p' loses const
  p[0] = 1;
}
