union pair { int a, b; };
static int first(void) { union pair p; return 1; }
void f(int *A) {
  A[0] = first();
//       ^^^^^^^ TRV030 'first' cannot be inlined: unions are not supported
}
