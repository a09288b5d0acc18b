void f(int n, int *A) {
  switch (n) {
    case n + 1:
//       ^^^^^ TRV017 an integer constant expression is required
      A[0] = 1;
  }
}
