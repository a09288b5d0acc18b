/* Elements a few apart of which the last ones are not used: what lies behind them may not be read when the array ends there. */
// brushes: 16 4 32 2x8
typedef unsigned char u8;

void grey_of_four(int n, const u8 p[restrict 4 * n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (77 * p[4 * i] + 150 * p[4 * i + 1] + 29 * p[4 * i + 2]) >> 8;
}

void middle_two(int n, const short p[restrict 4 * n], int o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = p[4 * i + 1] * p[4 * i + 2];
}

void even_rows(int m, int n, const float a[restrict m][2 * n], float o[restrict m][n])
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            o[j][i] = a[j][2 * i] + 1;
}

double of_three(int n, const double a[restrict 3 * n], double o[restrict n])
{
    double largest = -1e300;
    for (int i = 0; i < n; i++) {
        o[i] = a[3 * i];
        largest = a[3 * i + 1] > largest ? a[3 * i + 1] : largest;
    }
    return largest;
}

void sometimes(int n, const u8 p[restrict 4 * n], const u8 c[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        if (c[i] & 1)
            o[i] = p[4 * i] ^ p[4 * i + 1] ^ p[4 * i + 2];
}

void backwards(int n, const u8 p[restrict 4 * n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = p[4 * (n - 1 - i)] + p[4 * (n - 1 - i) + 1];
}

void of_forty(const u8 p[restrict 160], u8 o[restrict 40])
{
    for (int i = 0; i < 40; i++)
        o[i] = p[4 * i] + p[4 * i + 2];
}
