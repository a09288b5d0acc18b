/* Sums, products and minima in any order, with several updates of one variable in an iteration. */
#include <math.h>
// plan: fp=fast
// brushes: 8 5 4x8
// size n: 0..40
// size rows: 0..9
double sums(int n, const double a[restrict n], const double b[restrict n])
{
    double s = 2;
    for (int i = 0; i < n; i++) {
        s += a[i];
        if (b[i] > 0)
            s += b[i];
        else
            s -= 2;
        s = 3 + (s - a[i] * b[i]);
    }
    return s;
}
double fused(int n, const double a[restrict n], const double b[restrict n], const int c[restrict n])
{
    double s = 1;
    for (int i = 0; i < n; i++) {
        s = fma(a[i], b[i], s);
        if (c[i] > 2)
            continue;
        s += a[i];
    }
    return s;
}
double product(int n, const double a[restrict n], const int c[restrict n])
{
    double p = 3;
    for (int i = 0; i < n; i++) {
        p *= 1 + (a[i] > 0 ? 0.5 : 0.25);
        p /= 1.25;
        if (c[i] & 1)
            p = p / (1.5 - 0.125 * (c[i] & 2));
    }
    return p;
}
double minimum(int rows, int cols, const double a[restrict rows][cols])
{
    double m = 9;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            m = a[j][i] < m ? a[j][i] : m;
            if (a[j][i] > 0)
                m = fmin(m, 1 - a[j][i]);
            m = fmin(a[j][i] - 2, m);
        }
    return m;
}
float inner(int n, const float a[restrict n], const int c[restrict n])
{
    float s = 1;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            s += a[i] * k;
            if (c[i] == k)
                s = fmaf(a[i], -2, s);
        }
        s += 1;
    }
    return s;
}
