void f(double *A, int n) {
  switch (n) {
    case 0: while (A[n] > 0) {
    case 1: A[n]--;
//  ^^^^ TRV033 jumps in 'f' form a loop with two entries
    }
  }
}
