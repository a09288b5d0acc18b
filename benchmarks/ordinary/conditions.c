/* Branches: the same way in all lanes, in a row, or rarely taken. */
#include <math.h>
#define G restrict m][n]

void never(int n, int p, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        if (p < 0)
            x = sqrt(x * x + 1) / (x * x + 2);
        b[i] = x;
    }
}

void odd_rows(int n, int m, const int w[restrict m], const double A[G, double B[G)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            double x = A[j][i];
            if (w[j] & 1)
                x = sqrt(x * x + 1) / (x * x + 2);
            B[j][i] = x;
        }
}

void rare(int n, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        if (x > 11.5)
            x = sqrt(x * x + 1) / (x * x + 2) + log(x) * exp(-x);
        b[i] = x;
    }
}
