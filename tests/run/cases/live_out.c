/* Values that are read after the loops: counters, and the last of something invariant. */
// brushes: 8 4x8 3
// size n: 0..40
// length A: n + 5
int counter(int n, double *restrict A)
{
    int i;
    for (i = 0; i < n; ++i)
        A[i] = i * 2.0;
    A[i] = -1;
    return i;
}

int step_five(int n, int *restrict A)
{
    int i;
    for (i = 0; i < n; i += 5)
        A[i] = A[i] + 1;
    return i + n;
}

int inner(int rows, int cols, double B[restrict rows][cols])
{
    int i = 0, j;
    for (j = 0; j < rows; ++j)
        for (i = 0; i < cols; ++i)
            B[j][i] = B[j][i] + j;
    return i * 100 + j;
}
