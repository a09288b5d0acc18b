/* Three loops, all brushed, in different orders of the subscripts. */
// brushes: 2x2x8 2x3x4 4x1x4 4x8 3x2x3
// size planes: 0..6
// size rows: 0..9
// size cols: 0..18
void rotate(int planes, int rows, int cols, const double A[restrict planes][rows][cols],
            double B[restrict cols][planes][rows])
{
    for (int k = 0; k < planes; ++k)
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < cols; ++i)
                B[i][k][j] = A[k][j][i];
}

void diagonal(int planes, int rows, int cols, const float A[restrict planes + 1][rows + 1][cols + 1],
              float B[restrict planes][rows][cols])
{
    for (int k = 0; k < planes; ++k)
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < cols; ++i)
                B[k][j][i] = A[k + 1][j + 1][i + 1] - A[k][j][i] + A[k][j + 1][i];
}
