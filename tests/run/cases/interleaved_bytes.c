/* Elements a few apart: pixels and planes, complex numbers, with gaps, in several orders. */
// brushes: 16 8 32 4x8 5
typedef unsigned char u8;

void planes(int n, const u8 p[restrict 3 * n], u8 r[restrict n], short g[restrict n], float b[restrict n])
{
    for (int i = 0; i < n; i++) {
        r[i] = p[3 * i];
        g[i] = p[3 * i + 1];
        b[i] = p[3 * i + 2];
    }
}

void pixels(int n, const u8 r[restrict n], const short g[restrict n], u8 k, u8 p[restrict 4 * n], short q[restrict 2 * n])
{
    for (int i = 0; i < n; i++) {
        p[4 * i + 1] = r[i];
        p[4 * i] = g[i] >> 4;
        p[4 * i + 3] = k;
        p[4 * i + 2] = r[i] + g[i];
        q[2 * i + 1] = g[i];
        q[2 * i] = r[i];
    }
}

void swapped(int n, u8 p[restrict 3 * n])
{
    for (int i = 0; i < n; i++) {
        u8 t = p[3 * i];
        p[3 * i] = p[3 * i + 2];
        p[3 * i + 2] = t;
        p[3 * i + 1] ^= 255;
    }
}

void without_alpha(int n, const u8 p[restrict 4 * n], u8 o[restrict 3 * n])
{
    for (int i = 0; i < n; i++) {
        o[3 * i] = p[4 * i];
        o[3 * i + 1] = p[4 * i + 1];
        o[3 * i + 2] = p[4 * i + 2];
    }
}

void doubled(int n, const short p[restrict 2 * n], short o[restrict 3 * n])
{
    for (int i = 0; i < n; i++) {
        o[3 * i] = p[2 * i + 1];
        o[3 * i + 1] = p[2 * i];
        o[3 * i + 2] = p[2 * i + 1];
    }
}

void complex_products(int m, int n, const float a[restrict m][2 * n], const double b[restrict n][2], float o[restrict m][2 * n])
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            o[j][2 * i] = a[j][2 * i] * b[i][0] - a[j][2 * i + 1] * b[i][1];
            o[j][2 * i + 1] = a[j][2 * i] * b[i][1] + a[j][2 * i + 1] * b[i][0];
        }
}
