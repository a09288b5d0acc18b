/* Stores of called functions, which only some iterations call. */
// brushes: 8 5 16 4x4
// size n: 0..40
// size m: 0..20
// values A: -3..3
static void put(int *place, int value)
{
    if (value == 2)
        return;
    *place = value;
}

void called_store(int n, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i)
        if (A[i] > 0)
            put(&B[i], A[i]);
}

void called_twice(int n, int m, const int A[restrict n][m], int B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (A[j][i] < 0)
                put(&B[j][i], j);
            else if (A[j][i] & 1)
                put(&B[j][i], i);
        }
}
