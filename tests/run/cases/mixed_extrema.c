/* Several updates of one minimum or maximum in an iteration, some of which equal values replace and some not. */
#include <math.h>
// brushes: 8 16 3 4x8
// size rows: 0..9
// size cols: 0..40
// size n: 0..40
double both_orders(int n, const double a[restrict n], const double b[restrict n], double m)
{
    for (int i = 0; i < n; i++) {
        m = fmin(m, a[i] * 0);
        m = fmin(b[i] > 0.5 ? b[i] : b[i] * 0, m);
    }
    return m;
}
float nested_calls(unsigned n, const float a[restrict n], const float b[restrict n])
{
    float m = -7;
    for (unsigned i = 0; i < n; i++) {
        m = fmaxf(fmaxf(a[i] * 0, b[i] * 0), m);
        m = fmaxf(m, fmaxf(b[i] < 0.2f ? b[i] : 0, a[i] * 0));
    }
    return m;
}
double on_branches(int n, const double a[restrict n], const int c[restrict n])
{
    double m = NAN;
    for (int i = n - 1; i >= 0; i--)
        if (c[i] > 0)
            m = fmin(m, fabs(a[i]) * (a[i] > 0 ? 0.0 : -0.0));
        else
            m = fmin(a[i] * 0, m);
    return m;
}
double sometimes(int n, const double a[restrict n], const int c[restrict n])
{
    double m = 1;
    for (int i = 0; i < n; i++) {
        if (c[i] % 4 == 0)
            m = fmin(m, a[i] * 0);
        if (c[i] % 3 == 0)
            continue;
        m = fmin(a[i] < 0 ? -0.0 : a[i], m);
    }
    return m;
}
float by_switch(int n, const float a[restrict n], const int c[restrict n], float m)
{
    for (int i = 0; i < n; i++)
        switch (c[i] & 3) {
        case 0: m = fmaxf(m, a[i] * 0); break;
        case 1: m = fmaxf(a[i] * 0, m); break;
        case 2: m = fmaxf(m, -a[i] * 0); m = fmaxf(a[i] * -0.0f, m); break;
        default: m = fmaxf(m, -0.5f);
        }
    return m;
}
double planes(int rows, int cols, const double a[restrict rows][cols], double m)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            m = fmax(m, a[j][i] * 0);
            if (a[j][i] < 1)
                m = fmax(-a[j][i] * 0, m);
        }
    return m;
}
void of_rows(int rows, int cols, const double a[restrict rows][cols], double m[restrict rows])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            m[j] = fmin(a[j][i] * 0, m[j]);
            m[j] = fmin(m[j], a[j][i]);
        }
}
double inner(int n, const double a[restrict n], const double b[restrict n])
{
    double m = 2;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            m = fmin(m, a[i] * (k - 1));
        m = fmin(b[i] * 0, m);
    }
    return m;
}
double comparisons(int n, const double a[restrict n], const double b[restrict n], double m)
{
    for (int i = 0; i < n; i++) {
        m = a[i] * 0 < m ? a[i] * 0 : m;
        m = b[i] * 0 <= m ? b[i] * 0 : m;
    }
    return m;
}
float conditional_comparisons(unsigned short n, const float a[restrict n], const int c[restrict n])
{
    float m = 3;
    for (unsigned short i = 0; i < n; i++) {
        if (a[i] * 0 < m)
            m = a[i] * 0;
        if (c[i] > 0) {
            if (a[i] * -0.0f <= m)
                m = a[i] * -0.0f;
        }
    }
    return m;
}
long with_places(int rows, int cols, const int a[restrict rows][cols])
{
    int m = 100;
    long k = -1;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            if ((a[j][i] & 3) < m) {
                m = a[j][i] & 3;
                k = j * 100 + i;
            }
            if ((a[j][i] >> 1 & 3) <= m) {
                m = a[j][i] >> 1 & 3;
                k = -j * 100 - i;
            }
        }
    return k * 8 + m;
}
int shared_choice(int n, const int a[restrict n], const int c[restrict n])
{
    int m = 5, k = -1;
    for (int i = 0; i < n; i++) {
        int x = a[i] & 3;
        if (c[i] & 1) {
            if (x > m) {
                m = x;
                k = i;
            }
        } else if (x >= m) {
            m = x;
            k = i;
        }
    }
    return k * 8 + m;
}
int integers(int n, const int a[restrict n], const int c[restrict n])
{
    int m = 50;
    for (int i = 0; i < n; i++) {
        if (a[i] < m)
            m = a[i];
        if (c[i] > 0 && c[i] * 3 <= m)
            m = c[i] * 3;
        m = m < c[i] / 5 ? m : c[i] / 5;
    }
    return m;
}
unsigned folded_bits(int n, const unsigned a[restrict n], const int c[restrict n])
{
    unsigned x = 1, y = 5, z = ~0u;
    for (int i = 0; i < n; i++) {
        x ^= a[i];
        if (c[i] > 3)
            x ^= a[i] << 3;
        x = ~x;
        if (c[i] == 4)
            y |= a[i];
        else if (c[i] > 9)
            y |= 64;
        z = c[i] > 3 ? z & a[i] : z;
        z &= a[i] | 0xff00;
    }
    return x + 3 * y + 5 * z;
}
