/* Stores that do not happen, to places that are undefined: brushes may be aligned to them. */
// brushes: 8 16
// size n: 0..90
// size s: 0..3
// length A: n
// length B: n
// length C: n
void converted(int n, int s, const double *restrict A, double *restrict B, double *restrict C)
{
    double large = 1e300;
    for (int i = 0; i < n; ++i) {
        if (s < 0)
            B[i + (long)large] = A[i];
        else
            C[i] = A[i];
    }
}

void shifted(int n, int s, const double *restrict A, double *restrict B, double *restrict C)
{
    int wide = 40;
    for (int i = 0; i < n; ++i) {
        if (s < 0)
            B[i + (s << wide)] = A[i];
        C[i] = A[i];
    }
}
