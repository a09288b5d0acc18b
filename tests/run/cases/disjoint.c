/* Pointers without restrict into one array, side by side: the run-time check lets the brush run. */
// brushes: 8 5
// size n: 0..40
// length A: 2*n
// alias B: A + n
void second_half(int n, double *A, double *B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[i] * 0.25;
}
