/* Subscripts that are undefined where no iteration uses them: the check that arrays do not overlap computes them all the same. */
// brushes: 8 5
// size n: 0..20
// size s: 0..3
// length A: n + 8
// length B: n + 1
void shifted(int n, int s, const double *A, double *B)
{
    int wide = 40;
    for (int i = 0; i < n; ++i) {
        double x = A[i];
        if (s < 0)
            x += A[s << wide];
        B[i] = x;
    }
}

void converted(int n, int s, const double *A, double *B)
{
    double large = 1e300;
    for (int i = 0; i < n; ++i) {
        double x = A[i];
        if (s < 0)
            x += A[(long)large];
        B[i] = x;
    }
}
