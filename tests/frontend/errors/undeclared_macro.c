#define LAST (m - 1)
void f(int n, double *A) {
  A[LAST] = n;
//  ^^^^ TRV010 'm' is not declared
}
