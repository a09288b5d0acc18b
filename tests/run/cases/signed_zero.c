/* Identities that hold for numbers and not for signed zeros, infinities and NaN: nothing may be simplified. */
// brushes: 4x8 8
void identities(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = (A[j][i] + 0.0) * 1.0 - (A[j][i] - A[j][i]) + A[j][i] * 0.0;
}

void negations(int rows, int cols, const float A[restrict rows][cols], float B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = -(A[j][i] - 1.0f) - (0.0f - A[j][i]);
}

void contraction(int rows, int cols, const double A[restrict rows][cols], const double C[restrict rows][cols],
                 double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[j][i] * C[j][i] + A[j][i] / C[j][i] - C[j][i] * 0.1;
}

void minima(int rows, int cols, const double A[restrict rows][cols], const double C[restrict rows][cols],
            double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            double a = A[j][i], c = C[j][i];
            B[j][i] = (a < c ? a : c) + (a > c ? a : c);
        }
}
