/* A division that only some lanes may make. */
// may stay scalar
// brushes: 8 5 3
// size n: 0..40
// length A: n
// length B: n
// length D: n
// values D: 0..3
void unless_zero(int n, const int *restrict D, const int *restrict A, int *restrict B)
{
    for (int i = 0; i < n; ++i) {
        int d = D[i], a = A[i], x = 0;
        if (d != 0)
            x = a / d;
        B[i] = x;
    }
}
