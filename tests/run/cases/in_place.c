/* In place, with dependences that a brush keeps: every element is read before it is overwritten. */
// brushes: 1x8 8 5 1x3
void shift_left(int rows, int cols, double A[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols - 1; ++i)
            A[j][i] = A[j][i + 1];
}

void smooth_ahead(int rows, int cols, float A[restrict rows][cols])
{
    for (int j = 0; j < rows - 1; ++j)
        for (int i = 0; i < cols - 2; ++i)
            A[j][i] = A[j][i] + A[j][i + 1] * A[j][i + 2] - A[j + 1][i];
}

void scale_in_place(int rows, int cols, double A[restrict rows][cols], double factor)
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            A[j][i] *= factor;
}
