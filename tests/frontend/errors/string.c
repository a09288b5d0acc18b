void f(const int *A, int n) {
  const int *s = L"abc";
//               ^^^^^^ TRV042 wide string literals are not supported
  n = s[0];
}
