/* Minima and maxima by fmin and fmax: zeros of both signs, NaNs before and in the array, under conditions and over planes. */
#include <math.h>
// brushes: 8 16 3 4x8
// size rows: 0..9
// size cols: 0..40
// size n: 0..40
double least(int n, const double a[restrict n + 1]) { double m = a[0]; for (int i = 1; i <= n; i++) m = fmin(m, a[i]); return m; }
float greatest(int n, const float a[restrict n + 1]) { float m = a[n]; for (int i = 0; i < n; i++) m = fmaxf(a[i], m); return m; }
double from_zero(int n, const double a[restrict n]) { double m = 0; for (int i = 0; i < n; i++) m = fmax(m, a[i]); return m; }
double from_nan(int n, const double a[restrict n]) { double m = NAN; for (int i = 0; i < n; i++) m = fmin(a[i] * 0, m); return m; }
float of_zeros(int n, const float a[restrict n]) { float m = 3; for (int i = 0; i < n; i++) m = fminf(m, a[i] > 0.5f ? a[i] : a[i] * 0); return m; }
float second_of_zeros(int n, const float a[restrict n], float m) { for (int i = 0; i < n; i++) m = fmaxf(a[i] * 0, m); return m; }
double ties(int n, const double a[restrict n]) { double m = 0; for (int i = 0; i < n; i++) m = fmin(fabs(a[i]) * (a[i] > 0 ? 0.0 : -0.0), m); return m; }
double infinite(int n, const double a[restrict n], double m) { for (int i = 0; i < n; i++) m = fmin(m, a[i] > 0 ? INFINITY : NAN); return m; }
double second_infinite(int n, const double a[restrict n], double m) { for (int i = 0; i < n; i++) m = fmax(a[i] > 0 ? -INFINITY : NAN, m); return m; }
float planes(int rows, int cols, const float a[restrict rows][cols], float m)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++)
            m = fmaxf(m, a[j][i] * 0);
    return m;
}
void of_rows(int rows, int cols, const double a[restrict rows][cols], double m[restrict rows])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++)
            m[j] = fmin(a[j][i], m[j]);
}
double some(int n, const double a[restrict n], const int c[restrict n], double m)
{
    for (int i = 0; i < n; i++) {
        if (c[i] % 3 == 0)
            m = fmin(m, a[i]);
        if (c[i] % 2 == 0)
            m = fmin(m, a[i] * 0);
    }
    return m;
}
double both(int n, const double a[restrict n])
{
    double low = 1, high = -1;
    for (int i = 0; i < n; i++) {
        low = fmin(low, a[i]);
        high = fmax(high, a[i]);
    }
    return low + high;
}
