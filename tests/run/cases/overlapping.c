/* Pointers without restrict that really overlap: the run-time check must choose the scalar code. */
// brushes: 8 4x8 3
// size n: 0..40
// length A: n + 3
// alias B: A + 2
void shifted_copy(int n, double *A, double *B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[i] + 1;
}
