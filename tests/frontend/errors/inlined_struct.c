struct pair { int a, b; };
static int first(void) { struct pair p; return 1; }
void f(int *A) {
  A[0] = first();
//       ^^^^^^^ TRV030 'first' cannot be inlined: structs are not supported
}
