/* 5-point stencil on a whole array: neighbours outside count as `outside`. Every access is under the condition that it is inside. */
void boundary5(int rows, int cols, double outside, const double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            double up = outside, down = outside, left = outside, right = outside;
            if (j > 0)
                up = A[j - 1][i];
            if (j < rows - 1)
                down = A[j + 1][i];
            if (i > 0)
                left = A[j][i - 1];
            if (i < cols - 1)
                right = A[j][i + 1];
            B[j][i] = .2 * (up + left + A[j][i] + right + down);
        }
}
