/* Writes through subscripts that are loaded: the user says that this is fine, and where lanes collide the last one wins. */
// plan: assume_parallel=i
// brushes: 8 16 5 3
// size n: 0..40
// length A: n
// length idx: n
// length to: n
// length B: n
// length C: n
// values idx: 0..n-1
// values to: 0..n-1
void scatter(int n, const double *restrict A, const int *restrict idx, double *restrict B)
{
    for (int i = 0; i < n; ++i)
        B[idx[i]] = A[i];
}

void scatter_after(int n, const int *restrict A, const long *restrict to, int *restrict B, int *restrict C)
{
    for (int i = 0; i < n; ++i) {
        B[to[i]] = A[i] + 1;
        C[i] = A[i] * 2;
    }
}
