void f(double *A) {
  float *p = A;
//           ^ TRV016 the initialiser of 'p' has type 'float *', but the value is a 'double *'
  p[0] = 1;
}
