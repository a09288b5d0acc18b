/* Every kind of reduction, plain and under a condition that iterations decide differently; all of them are brushed. */
// brushes: 8 4x8 16 3
// size n: 0..50
// size m: 0..20
unsigned product(int n, const unsigned A[restrict n])
{
    unsigned p = 3;
    for (int i = 0; i < n; ++i)
        p *= A[i] | 1;
    return p;
}

long products_of_some(int n, int m, const int A[restrict n][m], const int C[restrict n][m])
{
    long p = 1;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            if (C[j][i] > 0)
                p *= A[j][i] | 1;
    return p;
}

long sum_of_some(int n, const int A[restrict n], const int C[restrict n])
{
    long s = -7;
    for (int i = 0; i < n; ++i) {
        if (C[i] < 0)
            continue;
        s += A[i];
    }
    return s;
}

int difference(int n, const int A[restrict n])
{
    int s = 1000;
    for (int i = 0; i < n; ++i)
        s -= A[i] & 15;
    return s;
}

unsigned words(int n, const unsigned A[restrict n], const int C[restrict n])
{
    unsigned all = ~0u, some = 0, odd = 5;
    for (int i = 0; i < n; ++i) {
        if (C[i] > 2)
            all &= A[i] | 0xff00;
        if (C[i] & 1)
            some |= A[i] & 0xffff;
        if (C[i] < 0)
            odd ^= A[i];
    }
    return all ^ some * 3 ^ odd;
}

int truths(int n, const int A[restrict n], const int C[restrict n])
{
    int any = 0, all = 1, none = 1;
    for (int i = 0; i < n; ++i)
        if (C[i] != 1) {
            any |= A[i] > 50;
            all &= A[i] > -90;
            if (A[i] == 7)
                none = 0;
        }
    return any * 4 + all * 2 + none;
}

double extremes_of_some(int n, const double A[restrict n], const int C[restrict n])
{
    double low = 1e30, high = -1e30;
    for (int i = 0; i < n; ++i) {
        if (C[i] > 0 && A[i] < low)
            low = A[i];
        if (C[i] < 0)
            high = A[i] > high ? A[i] : high;
    }
    return low * 3 + high;
}

long unsigned_extremes(int n, const unsigned A[restrict n], const short B[restrict n])
{
    unsigned low = ~0u;
    short high = -32768;
    for (int i = 0; i < n; ++i) {
        if (A[i] < low)
            low = A[i];
        if (B[i] > high && (A[i] & 1))
            high = B[i];
    }
    return low * 65536L + high;
}

int first_and_last_place(int n, const int A[restrict n], const int C[restrict n])
{
    int first = -1, last = -1;
    for (int i = 0; i < n; ++i)
        if (C[i] > 0) {
            if (A[i] > 0 && first < 0)
                first = i;
            if (A[i] < 0)
                last = i;
        }
    return first * 1000 + last;
}

int first_and_last_place_of_the_least(int n, const float A[restrict n], const int C[restrict n])
{
    float least = 9, same = 9;
    int first = -1, last = -1;
    for (int i = 0; i < n; ++i)
        if (C[i] & 3) {
            if (A[i] < least) {
                least = A[i];
                first = i;
            }
            if (A[i] <= same) {
                same = A[i];
                last = i;
            }
        }
    return first * 1000 + last;
}
