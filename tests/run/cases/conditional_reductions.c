/* Reductions that only some iterations take part in, and a partial sum that is read on the way. */
// may stay scalar
// brushes: 8 4x4 5
// size n: 0..40
// size m: 0..20
int conditional_minimum(int n, const int A[restrict n], const int B[restrict n])
{
    int least = 1000;
    for (int i = 0; i < n; ++i)
        if (B[i] > 0) {
            if (A[i] < least)
                least = A[i];
        }
    return least;
}

unsigned counted(int n, int m, const int A[restrict n][m])
{
    unsigned count = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            if (A[j][i] > 0 && i != j)
                ++count;
    return count;
}

int stored_and_counted(int n, const int A[restrict n], int B[restrict n])
{
    int count = 0;
    for (int i = 0; i < n; ++i)
        if (A[i] > 0) {
            B[i] = A[i];
            count += A[i] & 7;
        }
    return count;
}

int partial_sum(int n, const int A[restrict n], int B[restrict n])
{
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        if (A[i] > 0)
            sum += A[i] & 3;
        B[i] = sum;
    }
    return sum;
}

int last_one(int n, const int A[restrict n], int B[restrict n])
{
    int last = -1;
    for (int i = 0; i < n; ++i)
        if (A[i] > 0) {
            last = i;
            B[i] = 0;
        }
    return last;
}

void rows(int n, int m, const int A[restrict n][m], int B[restrict n])
{
    for (int j = 0; j < n; ++j) {
        int least = 1000;
        for (int i = 0; i < m; ++i)
            if (A[j][i] > j && A[j][i] < least)
                least = A[j][i];
        B[j] = least;
    }
}
