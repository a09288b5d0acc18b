/* Conditions of several blocks, with accesses and divisions that only some iterations may make. */
// brushes: 8 4x8 3x5 2x16
// size n: 0..20
// size m: 0..37
// size p: 0..3
// length table: p
// values D: 0..2
// values index: -2..8
// values flags: 0..5
void several_blocks(int n, int m, const int flags[restrict n][m], const int A[restrict n][m], int B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            int x = 5;
            if (flags[j][i] > 1) {
                x = A[j][i];
                if (flags[j][i] > 3) {
                    x ^= j;
                    B[j][i] = 3;
                } else if (i > 4)
                    x = i / flags[j][i];
                x += 1;
            } else if (flags[j][i])
                x = -A[j][i];
            B[j][i] += x;
        }
}

void boundary(int n, int m, const double A[restrict n][m], double B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double sum = A[j][i];
            if (j > 0)
                sum += A[j - 1][i];
            if (j + 1 < n)
                sum += A[j + 1][i];
            if (i > 0)
                sum += A[j][i - 1];
            if (i < m - 1)
                sum += A[j][i + 1];
            B[j][i] = sum;
        }
}

void divided_where_nonzero(int n, int m, const int D[restrict n][m], const long A[restrict n][m], long B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (D[j][i]) {
                B[j][i] = A[j][i] / D[j][i];
                if (D[j][i] > 1)
                    B[j][i] += 100 % (D[j][i] - 1);
            }
        }
}

void chosen_where_inside(int n, int m, const short index[restrict n][m], const float T[restrict 8], float B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            if (index[j][i] >= 0 && index[j][i] < 8)
                B[j][i] = T[index[j][i]];
}

/* There is nothing to load where the condition, the same for all, does not hold. */
void same_for_all(int n, int m, int p, const int *restrict table, const int A[restrict n][m], int B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            if (A[j][i] > 0) {
                if (p > 0)
                    B[j][i] = table[p - 1] / p;
            } else if (p > 2)
                B[j][i] = table[0];
}

void skipped(int n, int m, const int flags[restrict n][m], float B[restrict n][m], unsigned char C[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (flags[j][i] == 1)
                continue;
            B[j][i] *= 2;
            if (flags[j][i] == i % 4)
                continue;
            C[j][i] = flags[j][i];
        }
}

void switched(int n, int m, const int flags[restrict n][m], int B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            int x = 1;
            switch (flags[j][i]) {
            case 0:
                x = i;
                break;
            case 1:
                x = j;
            case 2:
                x += 7;
                break;
            case 4:
                B[j][i] = 0;
                continue;
            default:
                x = B[j][i] % 3;
            }
            B[j][i] = x;
        }
}
