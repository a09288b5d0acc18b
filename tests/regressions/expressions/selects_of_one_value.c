/* neon: two selects of the same value, by comparisons with one number */
void NAME(int n, const double *restrict a, const double *restrict b, double *restrict r, double *restrict s)
{
    for (int i = 0; i < n; i++) {
        double x = b[i], y = a[i];
        r[i] = x < 5.0 ? y : y < 5.0 ? y : 3.0;
        s[i] = x < 5.0 ? 3.0 : y < 5.0 ? 1.0 : 3.0;
    }
}
