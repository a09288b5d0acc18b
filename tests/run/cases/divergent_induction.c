/* Control flow in loops that count down, with a second induction variable, or with one that wraps around. */
// brushes: 8 5 16 4x4
// size n: 0..40
// size m: 0..20
// length A: 3*n + 2
// length B: n
// length C: 256
// length G: n*m
void down(int n, const int *restrict A, int *restrict B)
{
    for (int i = n - 1; i >= 0; --i) {
        if (i > 2 && A[i - 2] > 0)
            B[i] = A[i - 2];
        else if (A[i] & 1)
            continue;
        else
            B[i] = i;
    }
}

void second_variable(int n, const int *restrict A, int *restrict B)
{
    int q = 1;
    for (int i = 0; i < n; ++i, q += 3) {
        if (A[q] < 0)
            continue;
        int k = q & 7;
        while (k-- > 0)
            if (A[q] & (1 << k))
                break;
        B[i] = k + q;
    }
}

void narrow_wraps(int n, const int *restrict A, int *restrict C)
{
    unsigned char c = 250;
    for (int i = 0; i < n; ++i) {
        if (A[i] > 0)
            C[i] = c;
        else if (c > 10)
            C[i] = -c;
        ++c;
    }
}

void narrow_inner(int n, const int *restrict A, int *restrict B)
{
    for (int i = 0; i < n; ++i) {
        unsigned char c = (unsigned char)(250 + (A[i] & 3));
        int rounds = 0;
        while (c != 3) {
            rounds += c;
            ++c;
        }
        B[i] = rounds;
    }
}

void both_down(int n, int m, const int *restrict A, int *restrict G)
{
    for (int j = n; j-- > 0;)
        for (int i = m; i-- > 0;) {
            int x = 0;
            for (int k = j & 3; k > 0; --k) {
                if (k == i)
                    continue;
                x += A[j + k - 1];
            }
            if (x > 0)
                G[j * m + i] = x;
        }
}
