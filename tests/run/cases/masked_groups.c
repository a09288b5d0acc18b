/* Strided, interleaved and transposed elements under conditions: wide accesses under masks that are spread to the elements. */
// brushes: 8 16 4x16 3x5 8x8
// size n: 0..40
// length p: 3*n
// length q: 2*n
// length r: 2*n + 1
// length s: 9*n
// length b: n
// length to: n
struct body { float x, y, z; int kind; };
void colours(int n, const float m[restrict n], const float *restrict p, float out[restrict n])
{
    for (int i = 0; i < n; i++) {
        float g = out[i];
        if (m[i] > 0)
            g = p[3 * i] * 0.3f + p[3 * i + 1] * 0.59f + p[3 * i + 2] * 0.11f;
        out[i] = g;
    }
}
void gray(int n, const signed char m[restrict n], const unsigned char *restrict p, unsigned char out[restrict n])
{
    for (int i = 0; i < n; i++)
        if (m[i] > 0)
            out[i] = (p[3 * i] * 77 + p[3 * i + 1] * 150 + p[3 * i + 2] * 29) >> 8;
}
void products(int n, const double m[restrict n], const double *restrict q, const double a[restrict n][2], double c[restrict n][2])
{
    for (int i = 0; i < n; i++)
        if (m[i] > 0) {
            c[i][0] = a[i][0] * q[2 * i] - a[i][1] * q[2 * i + 1];
            c[i][1] = a[i][0] * q[2 * i + 1] + a[i][1] * q[2 * i];
        }
}
void fields(int n, const struct body *restrict b, struct body *restrict to, float limit)
{
    for (int i = 0; i < n; i++)
        if (b[i].x > limit) {
            to[i].y = b[i].y - b[i].z;
            to[i].kind = b[i].kind + 1;
        } else if (b[i].y > limit) {
            to[i].z = b[i].z;
        }
}
void overlapping(int n, const float m[restrict n], const float *restrict r, float out[restrict n], float q[restrict 2 * n])
{
    for (int i = 0; i < n; i++)
        if (m[i] > 0) {
            out[i] = n > 1 && i < n - 1 ? r[2 * i] + r[2 * i + 2] : r[2 * i];
            q[2 * i] = m[i];
        }
}
void far_apart(int n, const short m[restrict n], const int *restrict s, int out[restrict n])
{
    for (int i = 0; i < n; i++)
        if (m[i] > 0)
            out[i] = s[9 * i + 4];
}
void backwards(int n, const float m[restrict n], const float *restrict q, float out[restrict n])
{
    for (int i = n - 1; i >= 0; i--)
        if (m[i] > 0)
            out[i] = q[2 * (n - 1 - i)];
}
void transposed(int n, const float m[restrict n][n], const float a[restrict n][n], float c[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (m[i][j] > 0)
                c[i][j] = a[j][i] * 2;
}
void transposed_stores(int n, const double m[restrict n][n], const double a[restrict n][n], double c[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (m[i][j] > 0)
                c[j][i] = a[i][j] + 1;
}
void of_rows(int n, const float w[restrict n], const float a[restrict n][2 * n], float c[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (w[j] > 0)
                c[i][j] = a[i][2 * j] - a[0][2 * j + 1];
}
void in_place(int n, const float m[restrict n], float *restrict q)
{
    for (int i = 0; i < n; i++)
        if (m[i] > 0) {
            float t = q[2 * i];
            q[2 * i] = q[2 * i + 1];
            q[2 * i + 1] = t;
        }
}
