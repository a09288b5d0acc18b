/* neon: nested choices and two stores of one value, by comparisons with one number */
void NAME(int n, const double *restrict a, const double *restrict b, double *restrict r, double *restrict s)
{
    for (int i = 0; i < n; i++) {
        double x = b[i], y = a[i];
        r[i] = x < 5.0 ? y < 5.0 ? y : 3.0 : 3.0;
        if (x > 7.0) r[i] = 1.0; else if (y > 7.0) r[i] = 1.0;
    }
}
