/* Two arrays exchange their elements: loads must come before the stores. */
// brushes: 4x8 3x5 8 4x4
void swap(int rows, int cols, double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            double kept = A[j][i];
            A[j][i] = B[j][i];
            B[j][i] = kept;
        }
}

void reversed_rows(int rows, int cols, const float A[restrict rows][cols], float B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[rows - 1 - j][cols - 1 - i] = A[j][i];
}
