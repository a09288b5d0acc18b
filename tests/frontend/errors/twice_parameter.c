void f(int n) {
  double n = 1;
//       ^ TRV011 'n' is declared twice
}
