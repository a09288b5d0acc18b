void f(int n) {
  double x = 1;
  float x = 2;
//      ^ TRV011 'x' is declared twice
}
