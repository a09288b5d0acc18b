/* Sums in any order of which only some iterations are part, and loops of different lengths inside them. */
// plan: fp=fast
// brushes: 8 5 4x4
// size n: 0..40
// size m: 0..20
double positive(int n, const double A[restrict n])
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        if (A[i] > 0) {
            if (A[i] > 1)
                sum += A[i];
            else
                sum += 1;
        }
    return sum;
}

float over_two(int n, int m, const float A[restrict n][m], const int F[restrict n][m])
{
    float sum = 1;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (F[j][i] < 0)
                continue;
            float x = A[j][i];
            for (int k = 0; k < (F[j][i] & 3); ++k)
                x = x * 0.5f + 1;
            sum += x;
        }
    return sum;
}

void by_rows(int n, int m, const double A[restrict n][m], double B[restrict n])
{
    for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < m; ++i) {
            if (A[j][i] < 0 && i > 3)
                break;
            if (A[j][i] > j)
                sum += A[j][i];
        }
        B[j] = sum;
    }
}
