/* Bounds of inner loops that depend on outer counters. */
// brushes: 8 5 4x8 1x8
void lower(int rows, double A[restrict rows][rows], const double B[restrict rows][rows])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i <= j; ++i)
            A[j][i] = B[j][i] * 2 + j;
}

void upper(int rows, int A[restrict rows][rows])
{
    for (int j = 0; j < rows; ++j)
        for (int i = j + 1; i < rows; ++i)
            A[j][i] = A[j][i] * 3 + i;
}

void product(int rows, int cols, double A[restrict rows][rows], const double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k < cols; ++k)
                A[j][i] += B[j][k] * B[i][k];
}

void up_to_both(int rows, int cols, double A[restrict rows][cols], const double B[restrict cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < (j < cols ? j : cols); ++i)
            A[j][i] = B[i] * 2 + j;
}

void band(int rows, double A[restrict rows][rows])
{
    for (int j = 0; j < rows; ++j)
        for (int i = j > 3 ? j - 3 : 0; i < (j + 4 < rows ? j + 4 : rows); ++i)
            A[j][i] = A[j][i] * 2 + i;
}
