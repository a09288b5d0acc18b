/* Scalars as parameters and arrays of coefficients, in all types. */
// brushes: 4x8 3x5 8
void axpy(int rows, int cols, double a, float b, int c, unsigned char d, const double A[restrict rows][cols],
          double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = a * A[j][i] + b * B[j][i] - c + d;
}

void per_row(int rows, int cols, const double w[restrict rows], const double v[restrict cols],
             const double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = w[j] * A[j][i] + v[i];
}

void outer_product(int rows, int cols, const float w[restrict rows], const float v[restrict cols],
                   float B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = w[j] * v[i] - w[j];
}

void filled(int rows, int cols, double value, double B[restrict rows][cols], int C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            B[j][i] = value;
            C[j][i] = 10 * j;
        }
}
