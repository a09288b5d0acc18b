/* Conditions and subscripts that depend on where in the grid an iteration is. */
#define G restrict m][n]

void up_to(int n, int k, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; i++)
        if (i < k)
            b[i] = 2 * a[i];
}

void two_formulas(int n, int k, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; i++)
        if (i < k)
            b[i] = 2 * a[i];
        else
            b[i] = 1 / a[i];
}

void triangle(int n, int m, const double A[G, double B[G)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            if (i <= j)
                B[j][i] = 2 * A[j][i];
}

void band(int n, int m, const double A[G, double B[G)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            if (i - j <= 8 && j - i <= 8)
                B[j][i] = 2 * A[j][i];
            else
                B[j][i] = 0;
}

void framed(int n, int m, const double A[G, double B[G)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            if (j > 0 && j < m - 1 && i > 0 && i < n - 1)
                B[j][i] = .2 * (A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i]);
            else
                B[j][i] = A[j][i];
}

void framed_by_hand(int n, int m, const double A[G, double B[G)
{
    for (int j = 1; j < m - 1; j++)
        for (int i = 1; i < n - 1; i++)
            B[j][i] = .2 * (A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i]);
    for (int i = 0; i < n; i++) {
        B[0][i] = A[0][i];
        B[m - 1][i] = A[m - 1][i];
    }
    for (int j = 0; j < m; j++) {
        B[j][0] = A[j][0];
        B[j][n - 1] = A[j][n - 1];
    }
}

void clamped(int n, int m, const double A[G, double B[G)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            int up = j > 0 ? j - 1 : 0, down = j < m - 1 ? j + 1 : m - 1;
            int left = i > 0 ? i - 1 : 0, right = i < n - 1 ? i + 1 : n - 1;
            B[j][i] = .2 * (A[up][i] + A[j][left] + A[j][i] + A[j][right] + A[down][i]);
        }
}

void wrapped(int n, int m, const double A[G, double B[G)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            B[j][i] = .2 * (A[(j + m - 1) % m][i] + A[j][(i + n - 1) % n] + A[j][i] + A[j][(i + 1) % n] + A[(j + 1) % m][i]);
}

void previous(int n, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; i++)
        b[i] = i == 0 ? a[i] : a[i] - a[i - 1];
}

void alternating(int n, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; i++)
        if (i % 2 == 0)
            b[i] = 2 * a[i];
        else
            b[i] = 1 / a[i];
}

double sum_of_part(int n, int k, const double a[restrict n])
{
    double s = 0;
    for (int i = 0; i < n; i++)
        if (i < k)
            s += a[i];
    return s;
}
