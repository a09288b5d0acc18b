/* Writes under conditions whose places collide, declared to be fine: the last iteration that writes wins. */
// plan: assume_parallel=i
// brushes: 8 16 5 3
// size n: 0..40
// values idx: 0..n-1
// values chain: 0..7
void scatter(int n, const int A[restrict n], const int idx[restrict n], int B[restrict n], int C[restrict n])
{
    for (int i = 0; i < n; ++i) {
        if (A[i] > 0)
            B[idx[i]] = A[i];
        else if (A[i] & 1)
            C[idx[i]] = i;
    }
}

/* One place for all: written once or not at all. */
void flag(int n, const int A[restrict n], int last[restrict 1], double seen[restrict 2])
{
    for (int i = 0; i < n; ++i)
        if (A[i] > 0) {
            last[0] = i;
            seen[1] = 2.5;
        }
}

/* The same place in the same round for all that are still under way. */
void rounds(int n, const int A[restrict n], int reached[restrict 8])
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < (A[i] & 7); ++k)
            reached[k] = 1;
}

void visited(int n, const unsigned char chain[restrict 8], const int A[restrict n], char B[restrict 8])
{
    for (int i = 0; i < n; ++i) {
        int at = A[i] & 7, left = 5;
        while (at && left--) {
            B[at] = 1;
            at = chain[at];
        }
    }
}
