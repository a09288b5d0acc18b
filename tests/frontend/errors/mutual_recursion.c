static int odd(int n);
static int even(int n) {
  return n == 0 ? 1 : odd(n - 1);
//                    ^^^^^^^^^^ TRV039 'odd' calls itself through 'even', so it cannot be inlined
}
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
