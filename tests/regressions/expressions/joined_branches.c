/* neon: branches by comparisons with one number that become one comparison of a minimum */
void NAME(int n, const double *restrict a, const double *restrict b, double *restrict r, double *restrict s)
{
    for (int i = 0; i < n; i++) {
        double x = b[i], y = a[i], z = 1.5 * x;
        if (x < 5.0 || y < 5.0) z = 2.0;
        r[i] = z;
    }
}
