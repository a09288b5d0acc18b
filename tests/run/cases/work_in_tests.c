/* Tests of loops that do more than testing: they run once more than the body. */
// brushes: 4 2x3
// size n: 0..33
// values B: -9..9
void stores(int n, long A[restrict n + 1], const long B[restrict n + 1])
{
    int i;
    for (i = 0; A[i] = B[i], i < n; ++i)
        ;
}

void stores_and_loads(int n, long A[n + 1])
{
    long i, x;
    for (i = 0; x = A[i], A[i] = i, i < n; ++i)
        ;
    A[0] = x;
}

void loaded_last(int n, long A[restrict n + 1], const long B[restrict n + 1])
{
    long i, x;
    for (i = 0; x = B[i], i < n; ++i)
        A[i] = x;
    A[0] = x;
}

void converted(long n, long A[restrict 8])
{
    int i2 = 7;
    while (i2-- > 0) {
        unsigned i3;
        for (i3 = 0; i3 < n; ++i3)
            ;
        A[i2] = i3;
    }
}

void computed(int n, double A[restrict n][n + 1], long C[restrict n])
{
    for (int j = 0; j < n; ++j) {
        int i;
        double x;
        for (i = 0; x = i * .5 + j, i < n; ++i)
            A[j][i] = 1;
        A[j][n] = x;
        C[j] = i;
    }
}

void sum_and_more(int n, long A[restrict 2], const long B[restrict n])
{
    long i, x, s = 0;
    for (i = 0; x = s / 7, i < n; ++i)
        s += B[i];
    A[0] = x;
    A[1] = s;
}
