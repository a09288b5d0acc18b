/* Buffers that are used in turn, chosen by remainders and by variables that go back and forth. */
// brushes: 8 4x8 3x5
// size nt: 0..5
// size n: 0..9
// size m: 0..21
// size p: -3..6
void wave(int nt, int n, int m, double u[restrict 3][n][m])
{
    for (int t = 0; t < nt; t++) {
        int a = t % 3, b = (t + 1) % 3, c = (t + 2) % 3;
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < m - 1; i++)
                u[c][j][i] = 2 * u[b][j][i] - u[a][j][i] + u[b][j - 1][i] + u[b][j + 1][i] + u[b][j][i - 1] + u[b][j][i + 1];
    }
}
void of_unsigned(unsigned nt, int n, int m, float u[restrict 3][n][m])
{
    for (unsigned t = 0; t < (nt & 7); t++)
        for (int j = 1; j < n; j++)
            for (int i = 1; i < m - 1; i++)
                u[(t + 1) % 3][j][i] = u[t % 3][j - 1][i + 1] + u[(t + 2) % 3][j][i - 1];
}
void bits(int nt, int n, int m, int u[restrict 2][n][m])
{
    for (int t = 0; t < nt; t++)
        for (int j = 1; j < n; j++)
            for (int i = 1; i < m - 1; i++)
                u[(t + 1) & 1][j][i] = u[t & 1][j - 1][i + 1] + 3 * u[t & 1][j][i - 1];
}
void toggled(int nt, int n, int m, int u[restrict 2][n][m])
{
    int cur = 0;
    for (int t = 0; t < nt; t++, cur ^= 1)
        for (int j = 1; j < n; j++)
            for (int i = 1; i < m - 1; i++)
                u[cur ^ 1][j][i] = u[cur][j - 1][i + 1] + 3 * u[cur][j][i - 1];
}
void denied(int nt, int n, int m, int u[restrict 2][n][m])
{
    int cur = 0;
    for (int t = 0; t < nt; t++, cur = !cur)
        for (int j = 1; j < n; j++)
            for (int i = 1; i < m - 1; i++)
                u[!cur][j][i] = u[cur][j - 1][i + 1] + 3 * u[cur][j][i - 1];
}
void subtracted(int nt, int n, int m, int u[restrict 2][n][m])
{
    int cur = 1;
    for (int t = 0; t < nt; t++, cur = 1 - cur)
        for (int j = 1; j < n; j++)
            for (int i = 1; i < m - 1; i++)
                u[1 - cur][j][i] = u[cur][j - 1][i + 1] + 3 * u[cur][j][i - 1];
}
void rotated(int nt, int n, int m, int u[restrict 3][n][m])
{
    int before = 2, now = 0, next = 1;
    for (int t = 0; t < nt; t++) {
        for (int j = 1; j < n; j++)
            for (int i = 1; i < m - 1; i++)
                u[next][j][i] = u[now][j - 1][i + 1] - u[before][j][i - 1];
        int s = before;
        before = now;
        now = next;
        next = s;
    }
}
void negative(int p, int n, int m, int u[restrict 5][n][m])
{
    for (int j = 1; j < n; j++)
        for (int i = 1; i < m - 1; i++)
            u[2 + (p + 1) % 3][j][i] = u[2 + p % 3][j - 1][i + 1] + 3 * u[2 + p % 3][j][i - 1];
}
