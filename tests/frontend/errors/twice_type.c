double f(double x);
  float f(double x) { return x; }
//      ^ TRV011 'f' is declared with different types
