double power(double x, int n) {
  return n ? x * power(x, n - 1) : 1;
//               ^^^^^^^^^^^^^^^ TRV039 'power' calls itself, so it cannot be inlined
}
