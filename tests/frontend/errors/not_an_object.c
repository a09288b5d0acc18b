void f(int n) {
  n + 1 = 2;
//^^^^^ TRV013 this expression is not an object
}
