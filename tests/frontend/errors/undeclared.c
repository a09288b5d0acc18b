void f(int n, double *A) {
  for (int i = 0; i < nn; i++)
//                    ^^ TRV010 'nn' is not declared
    A[i] = 0;
}
