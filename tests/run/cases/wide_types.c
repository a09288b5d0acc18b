/* Bytes and halves: many lanes in a register, values of several widths at once. */
// brushes: 16 32 2x16 4x8 3x5
void average(int rows, int cols, const unsigned char A[restrict rows][cols], const unsigned char B[restrict rows][cols],
             unsigned char C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            C[j][i] = (A[j][i] + B[j][i] + 1) / 2;
}

void threshold(int rows, int cols, unsigned char level, const unsigned char A[restrict rows][cols],
               _Bool B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[j][i] > level;
}

void luminance(int rows, int cols, const unsigned char A[restrict rows][3 * cols], unsigned short B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = (77 * A[j][3 * i] + 150 * A[j][3 * i + 1] + 29 * A[j][3 * i + 2]) >> 4;
}

void scaled(int rows, int cols, const signed char A[restrict rows][cols], double factor, float B[restrict rows][cols],
            long C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            B[j][i] = A[j][i] * factor;
            C[j][i] = A[j][i] * 100000L * j;
        }
}

void histogram_row(int rows, int cols, const unsigned char A[restrict rows][cols], int sums[restrict rows])
{
    for (int j = 0; j < rows; ++j) {
        int sum = 0;
        for (int i = 0; i < cols; ++i)
            sum += A[j][i] == 3;
        sums[j] = sum;
    }
}
