/* Stores in inner loops that some iterations leave at a test that all share, and others at one of their own. */
// brushes: 8 5 16 3
// size n: 0..30
// size m: 0..12
// values small: -6..12
// values limit: 0..16
void broken_off(int n, int m, const int limit[restrict n], int A[restrict n][m])
{
    for (int i = 0; i < n; ++i) {
        int s = limit[i];
        for (int k = 0; k < m; ++k) {
            if (s > 14)
                break;
            s += k;
            if (s & 1)
                A[i][k] = s;
        }
    }
}

/* The other dimension is that of the lanes. */
void columns(int n, int m, const int limit[restrict n], int A[restrict m][n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int k, s = limit[i];
        for (k = 0; k < m; ++k) {
            A[k][i] = s;
            if (s > 30)
                break;
            s += A[k][i] & 7;
        }
        B[i] = k * 100 + s;
    }
}

void down(int n, int m, const int limit[restrict n], const int small[restrict n][m], int A[restrict n][m])
{
    for (int i = 0; i < n; ++i)
        for (int k = m - 1; k >= 0 && k >= limit[i] - 6; k -= 2) {
            A[i][k] = small[i][k] > 4 ? k : i;
            if (small[i][k] == 12)
                break;
        }
}

/* Two loops deep, with exits out of both. */
void deep(int n, int m, const int small[restrict n][m], int A[restrict n][m][3])
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < m; ++k)
            for (int l = 0; l < 3; ++l) {
                if (small[i][k] == l)
                    break;
                A[i][k][l] += small[i][k];
                if (small[i][k] + l == 13)
                    goto done;
            }
    done:;
    }
}
