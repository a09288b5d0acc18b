/* Reads through an array of subscripts, in 32 and 64 bits. */
// brushes: 8 4x8 3 5
// size n: 0..40
// length A: n
// length idx: n
// length far: n
// length B: n
// values idx: 0..n-1
// values far: 0..n-1
void gather(int n, const double *restrict A, const int *restrict idx, double *restrict B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[idx[i]] + A[i];
}

void gather_long(int n, const float *restrict A, const long *restrict far, float *restrict B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[far[i]];
}
