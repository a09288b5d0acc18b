/* Branches that become selects. */
// brushes: 4x8 8 3x5
void clamp(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            double x = A[j][i];
            if (x < 0)
                x = 0;
            else if (x > 1)
                x = 1;
            B[j][i] = x;
        }
}

void logical(int rows, int cols, const int A[restrict rows][cols], const int C[restrict rows][cols],
             int B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            int a = A[j][i], c = C[j][i];
            B[j][i] = (a > 0 && c > 0) || i == j ? a - c : !a;
        }
}
