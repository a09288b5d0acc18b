void f(const char *A, int n) {
  const char *s = "abc";
//                ^^^^^ TRV042 string literals are not supported
  n = s[0];
}
