/* Pointers without restrict into one array that share one element, the last of one and the first of the other. */
// brushes: 8 5 16
// size n: 1..40
// length A: 2*n - 1
// alias B: A + n - 1
void share_one(int n, double *A, double *B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[i] + 1;
}
