void f(int n) {
  n = 1
  n = 2;
//^ TRV004 syntax error before 'n'
}
