/* Stores that not all lanes of a brush need, and values from counters only. */
// brushes: 4x8 8 3x5
void last_wins(int rows, int cols, const double A[restrict rows][cols], double last[restrict cols])
{
    for (int i = 0; i < cols; ++i)
        for (int j = 0; j < rows; ++j)
            last[i] = A[j][i];
}

void counters(int rows, int cols, double B[restrict rows][cols], long C[restrict rows][cols], short D[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            B[j][i] = j * 0.5 + i;
            C[j][i] = (long)j * i - i * i;
            D[j][i] = i * 3001 - j;
        }
}

void unsigned_wrap(unsigned rows, unsigned cols, unsigned B[restrict rows][cols])
{
    for (unsigned j = 0; j < rows; ++j)
        for (unsigned i = 0; i < cols; ++i)
            B[j][i] = (i - 5) / 3 + (j - i) % 7;
}

void diagonal(int rows, double A[restrict rows][rows])
{
    for (int i = 0; i < rows; ++i)
        A[i][i] = A[i][i] + 1;
}

void diagonal_above(int rows, const float A[restrict rows][rows], float B[restrict rows])
{
    for (int i = 0; i < rows - 1; ++i)
        B[i] = A[i][i + 1] - A[rows - 1 - i][i];
}
