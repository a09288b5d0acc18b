/* Branches between brushed loops: conditions around the inner loop, statements before and behind it, in two and three dimensions. */
// brushes: 4x8 3x5 2x16 8x8
// size n: 0..20
// size m: 0..20
// size k: 0..7
// values first: 0..n-1
// length first: n
// length given: n
// length from: n*m
// length to: n*m
void rows_that_want(int n, int m, const float w[restrict n], const float a[restrict n][m], float b[restrict n][m])
{
    for (int i = 0; i < n; i++)
        if (w[i] > 0)
            for (int j = 0; j < m; j++)
                b[i][j] = a[i][j] * w[i];
}
void before_and_behind(int n, int m, const float w[restrict n], const float a[restrict n][m + 1], float b[restrict n][m],
                       float s[restrict n])
{
    for (int i = 0; i < n; i++) {
        float f = 1;
        if (w[i] > 0.5f)
            f = a[i][m] + 2;
        else
            s[i] = -1;
        for (int j = 0; j < m; j++)
            b[i][j] = a[i][j] * f;
        if (w[i] < -0.5f)
            s[i] = f;
    }
}
void sums_of_some_rows(int n, int m, const int w[restrict n], const int a[restrict n][m], int s[restrict n])
{
    for (int i = 0; i < n; i++) {
        if (w[i] % 3 == 0)
            continue;
        int t = w[i];
        for (int j = 0; j < m; j++)
            if (a[i][j] > 0)
                t += a[i][j];
        if (t % 2)
            s[i] = t;
        else
            s[i] += w[i];
    }
}
void three_ways(int n, int m, const int w[restrict n], const double a[restrict n][m + 1], double b[restrict n][m],
                double s[restrict n])
{
    for (int i = 0; i < n; i++) {
        double t = 0.5;
        if (w[i] < 0) {
            t = a[i][m] + w[i];
        } else {
            if (w[i] % 2) {
                double x = s[i];
                for (int j = 0; j < m; j++)
                    b[i][j] = a[i][j] / x;
                t = x * 3;
            } else if (w[i] % 3) {
                t = 7;
            }
            t += 1;
        }
        s[i] = t;
    }
}
void planes(int k, int n, int m, const float v[restrict k], const float w[restrict k][n], const float a[restrict k][n][m],
            float b[restrict k][n][m])
{
    for (int l = 0; l < k; l++)
        if (v[l] > -0.5f)
            for (int i = 0; i < n; i++)
                if (w[l][i] > 0)
                    for (int j = 0; j < m; j++)
                        b[l][i][j] = a[l][i][j] + w[l][i];
}
void from_elsewhere(int n, int m, const int w[restrict n], const int *restrict first, const float a[restrict n][m],
                    float b[restrict n][m])
{
    for (int i = 0; i < n; i++)
        if (w[i] > 0) {
            int row = first[i];
            for (int j = 0; j < m; j++)
                if (a[row][j] > 0)
                    b[i][j] = a[row][j];
        }
}
void searched(int n, int m, const int w[restrict n], const float a[restrict n][m], float b[restrict n][m], int c[restrict n])
{
    for (int i = 0; i < n; i++) {
        int t = 0, x = w[i] & 31;
        while (x) {
            t += x & 1;
            x >>= 1;
        }
        c[i] = t;
        if (t > 1)
            for (int j = m - 1; j >= 0; j--)
                b[i][j] = a[i][j] * t;
    }
}
void may_overlap(int n, int m, const float *given, const float *from, float *to)
{
    for (int i = 0; i < n; i++)
        if (given[i] > 0)
            for (int j = 0; j < m; j++)
                to[i * m + j] += from[i * m + j];
}
void transposed_rows(int n, const float w[restrict n], const float a[restrict n][n], float b[restrict n][n])
{
    for (int i = 0; i < n; i++)
        if (w[i] > 0)
            for (int j = 0; j < n; j++)
                b[i][j] = a[j][i];
        else
            b[i][0] = 9;
}
void in_step_between(int n, int m, int k, const int w[restrict n], const float a[restrict n][k][m], float b[restrict n][m],
                     float s[restrict n])
{
    for (int i = 0; i < n; i++)
        if (w[i] > 0) {
            for (int l = 0; l < k; l++) {
                if (l % 3 == w[i] % 3)
                    for (int j = 0; j < m; j++)
                        b[i][j] += a[i][l][j];
                s[i] += l;
            }
        } else {
            s[i] = 1;
        }
}
