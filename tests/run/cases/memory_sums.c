/* Sums that are kept in memory, which may be part of what is summed. */
// may stay scalar
// brushes: 8 4x8 5
// size n: 1..40
// length sum: 1
// length B: n
// alias inside: B + n // 3
void accumulate(int cols, int A[cols], int *sum)
{
    for (int i = 0; i < cols; ++i)
        *sum += A[i];
}

void accumulate_overlapping(int n, int *B, int *inside)
{
    for (int i = 0; i < n; ++i) {
        *inside += B[i];
        B[i] = B[i] + 1;
    }
}
