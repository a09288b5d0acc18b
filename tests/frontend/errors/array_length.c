int f(int n) {
  int none[];
//    ^^^^ TRV021 the array 'none' has no length
  return n;
}
