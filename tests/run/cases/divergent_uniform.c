/* Uniform loads, divisions and loops under conditions that differ, or that no lane meets; loops that differ along one dimension. */
// brushes: 8 5 4x4 1x8
// size n: 0..20
// size m: 0..20
// size p: 0..4
// values D: 0..2
// length row: min(p, 1)
void no_lane(int n, int m, int p, const int D[restrict n][m], const int *restrict row, int G[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            if (D[j][i] > 5) {
                int bound = 100 / p + row[0];
                for (int k = 0; k != bound; ++k)
                    G[j][i] += k;
            } else if (D[j][i] == 1 && p > 0) {
                int q = 7 % p;
                while (q < row[0])
                    q = q * 2 + 1;
                G[j][i] = q + row[0] / p;
            }
}

void column(int n, int m, const int D[restrict n][m], const int C[restrict n], int G[restrict n][m], int H[restrict n])
{
    for (int j = 0; j < n; ++j) {
        int c = C[j];
        for (int i = 0; i < m; ++i) {
            int k = 0;
            while (k < (c & 3)) {
                if (D[j][i] == k)
                    break;
                ++k;
            }
            if (c > 0)
                G[j][i] = k;
        }
        H[j] = c;
    }
}

void rows_only(int n, int m, const int D[restrict n][m], const int C[restrict m], int G[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (C[i] > 0) {
                int x = C[i];
                for (int k = j; k > 0; k -= 2) {
                    x ^= k;
                    if (x & 16)
                        break;
                }
                G[j][i] = x;
            }
            if (j & 1)
                G[j][i] -= D[j][i] ? 10 / D[j][i] : 3;
        }
}

int mixed(int n, int m, const double X[restrict n][m], float Y[restrict n][m], signed char Z[restrict n][m])
{
    int most = -5;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double x = X[j][i];
            int rounds = 0;
            do {
                x = x * 0.5 + 1 / (1 + x * x);
                if (x != x)
                    goto next;
            } while (++rounds < 12 && (x > 0.9 || x < -0.3));
            Y[j][i] = x;
            if (rounds > most)
                most = rounds;
        next:
            Z[j][i] = rounds;
        }
    return most;
}

void shared(int n, int m, const int D[restrict n][m], const int C[restrict m], const int R[restrict n], int G[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (D[j][i] == 1)
                G[j][i] = C[m - 1 - i] + R[C[i] & (n - 1 & 3)];
            else if (D[j][i] > 5)
                G[j][i] = R[C[0] + 1000000000] + C[R[j] + 1000000000];
            for (int k = 0; k < D[j][i]; ++k)
                if (R[j] > k)
                    G[j][i] += R[(R[k % n] & 1) % n];
        }
}
