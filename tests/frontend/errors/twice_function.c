void f(int n) { n = 1; }
void f(int n) { n = 2; }
//   ^ TRV011 the function 'f' is defined twice
