/* A scalar behind a pointer that is one of the elements written. */
// brushes: 8 4x8 5
// size n: 1..40
// length A: n
// alias factor: A + n // 2
void scale(int n, double *A, double *factor)
{
    for (int i = 0; i < n; ++i)
        A[i] = A[i] * *factor + 1;
}
