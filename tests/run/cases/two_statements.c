/* Several statements in a body, one reading what another wrote. */
// brushes: 4x8 3x5 8 1x8 2x16
void two_arrays(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols],
                double C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            B[j][i] = A[j][i] + 1;
            C[j][i] = B[j][i] * A[j][i];
        }
}

void written_twice(int rows, int cols, const float A[restrict rows][cols], float B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            B[j][i] = A[j][i] * 2;
            B[j][i] = B[j][i] + A[j][i];
            B[j][i] = -B[j][i];
        }
}

void overwritten(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols - 1; ++i) {
            double before = B[j][i];
            B[j][i] = A[j][i + 1];
            B[j][i] += before;
        }
}

void delayed(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols],
             double C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 1; i < cols; ++i) {
            B[j][i] = A[j][i] * 2;
            C[j][i] = B[j][i - 1] + 1;
        }
}

void before_and_after(int rows, int cols, double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 1; i < cols - 1; ++i) {
            double next = A[j][i + 1];
            A[j][i] = next * 0.5 + 1;
            B[j][i] = A[j][i - 1] - next;
        }
}
